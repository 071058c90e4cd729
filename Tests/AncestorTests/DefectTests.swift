/// The defects that the ancestors have, D1-D23, each as a test that fails where a library has it. `scripts/defects` puts
/// them back where that can be done: the patches in `Defects` name the tests.
enum DefectTests {}
