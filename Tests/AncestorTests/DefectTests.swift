/// The defects that the ancestors have, D1-D23, each as a test that fails where a library has it.
enum DefectTests {}
