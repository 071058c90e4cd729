// The search of the front page, over docc's index of all declarations and our list of articles with their headings.
const limit = 30;
const field = document.getElementById("query");
const list = document.getElementById("results");
const status = document.getElementById("status");
let entries;
let selected = -1;

// Both files are asked for once, at the first key.
function load() {
  entries ??= Promise.all(["index/index.json", "front/articles.json"].map(async (path) => {
    const response = await fetch(path);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.json();
  })).then(([index, articles]) => [...articles.flatMap(ofArticle), ...ofIndex(index)]);
  // The next key tries again.
  entries.catch(() => { entries = undefined; });
  return entries;
}

// The words before the name in the title of a declaration.
const declarators = /^(?:(?:static|class|convenience|required|mutating|override) )*(?:func|var|let|case|subscript|macro) /;

function entry(title, about, kind, path, module, weight, words = "") {
  const name = title.replace(declarators, "");
  return { title, about, kind, path, module, weight, name, text: name.toLowerCase(), all: `${module} ${title} ${about} ${words}`.toLowerCase() };
}

// Pages for those who change the package stand below those for its users.
const internals = /^\/documentation\/guides\/(decisions|changelog|architecture|contributing)/;

function ofArticle({ path, title, module, about, words, sections }) {
  const [whole, part] = internals.test(path) ? [6, 0] : [30, 10];
  const places = sections.map((one) => entry(one.title, title, "section", `${path}#${one.anchor}`, module, part, one.words));
  return [entry(title, about, "article", path, module, whole, words), ...places];
}

// Types stand above members where both fit alike.
const weights = { macro: 35, module: 30, class: 28, struct: 28, enum: 28, protocol: 28, typealias: 10, func: 8, method: 5, property: 5 };

function ofIndex(index) {
  const found = new Map();
  function visit(node, parents) {
    if (node.path && node.type !== "article" && parents.length > 0 && !found.has(node.path)) {
      const module = parents[1] ?? node.title;
      const parent = parents.length > 2 ? `.${parents.at(-1)}` : "";
      found.set(node.path, entry(node.title, module + parent, node.type, node.path, module, weights[node.type] ?? 1));
    }
    const names = node.path ? [...parents, node.title] : parents;
    for (const child of node.children ?? []) visit(child, names);
  }
  for (const node of index.interfaceLanguages.swift ?? []) visit(node, []);
  return [...found.values()];
}

// How well one word fits: the whole name, its beginning, the beginning of a word in it, a place within it, the text around it.
function fit(item, word) {
  const at = item.text.indexOf(word);
  if (at < 0) return item.all.includes(word) ? 5 : 0;
  if (item.text === word) return 100;
  if (at === 0) return /^\W/.test(item.text.slice(word.length)) ? 80 : 55;
  const before = item.name[at - 1];
  const starts = /\W/.test(before) || (item.name[at] !== item.text[at] && before === before.toLowerCase());
  return starts ? 35 : 15;
}

// The entries that have all words; where none has, the entries that have some. Where two fit alike, the shorter title stands first.
function search(items, query) {
  const words = query.toLowerCase().split(/[\s.@,]+/).filter(Boolean);
  const found = items.map((item) => {
    const fits = words.map((word) => fit(item, word));
    const sum = fits.reduce((all, one) => all + one, 0);
    return { item, matched: fits.filter(Boolean).length, score: sum + item.weight - item.title.length / 50 };
  });
  const whole = found.filter(({ matched }) => matched > 0 && matched === words.length);
  const chosen = whole.length > 0 ? whole : found.filter(({ matched }) => matched > 0);
  chosen.sort((a, b) => b.matched - a.matched || b.score - a.score || a.item.title.localeCompare(b.item.title));
  return { words, isWhole: whole.length > 0, count: chosen.length, items: chosen.slice(0, limit).map(({ item }) => item) };
}

// The text with its words marked. Text never becomes markup.
function marked(text, words) {
  const whole = document.createElement("span");
  const pattern = words.map((word) => word.replace(/[^\w\s]/g, "\\$&")).sort((a, b) => b.length - a.length).join("|");
  text.split(new RegExp(`(${pattern})`, "i")).forEach((piece, index) => {
    if (index % 2 === 0) return whole.append(piece);
    const mark = document.createElement("mark");
    mark.append(piece);
    whole.append(mark);
  });
  return whole;
}

function row(item, words, index) {
  const line = document.createElement("li");
  const link = document.createElement("a");
  const title = marked(item.title, words);
  const kind = document.createElement("span");
  const about = document.createElement("span");
  line.id = `result-${index}`;
  line.setAttribute("role", "option");
  line.setAttribute("aria-selected", "false");
  line.className = ["article", "section"].includes(item.kind) ? "prose" : "symbol";
  const [path, anchor] = item.path.split("#");
  link.href = path.slice(1) + "/" + (anchor ? `#${anchor}` : "");
  // The arrows lead through the list; Tab leads past it.
  link.tabIndex = -1;
  title.className = "title";
  kind.className = "kind";
  kind.append(item.kind);
  about.className = "about";
  about.append(item.about || item.module);
  link.append(title, kind, about);
  line.append(link);
  return line;
}

function select(index) {
  const lines = list.children;
  lines[selected]?.setAttribute("aria-selected", "false");
  selected = lines.length === 0 ? -1 : (index + lines.length) % lines.length;
  const line = lines[selected];
  line?.setAttribute("aria-selected", "true");
  line?.scrollIntoView({ block: "nearest" });
  if (line) field.setAttribute("aria-activedescendant", line.id);
  else field.removeAttribute("aria-activedescendant");
}

function close() {
  list.hidden = true;
  // Enter would follow a line that nobody sees.
  list.children[selected]?.setAttribute("aria-selected", "false");
  selected = -1;
  field.removeAttribute("aria-activedescendant");
  field.setAttribute("aria-expanded", "false");
}

async function update() {
  const query = field.value;
  if (query.trim() === "") {
    list.replaceChildren();
    status.textContent = "";
    return close();
  }
  let items;
  try {
    items = await load();
  } catch (error) {
    status.textContent = `The index did not arrive (${error.message}).`;
    return close();
  }
  // Another key was faster.
  if (query !== field.value) return;
  const found = search(items, query);
  list.replaceChildren(...found.items.map((item, index) => row(item, found.words, index)));
  const number = found.count > limit ? `The first ${limit} of ${found.count} pages` : "";
  status.textContent = found.count === 0 ? "No page has these words."
    : found.isWhole ? number : `No page has all of these words. ${number || "These"} have some.`;
  list.hidden = found.count === 0;
  field.setAttribute("aria-expanded", String(found.count > 0));
  selected = -1;
  select(0);
}

field.addEventListener("input", update);
field.addEventListener("focus", () => { if (list.children.length > 0) update(); });
field.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") select(selected + 1);
  else if (event.key === "ArrowUp") select(selected - 1);
  else if (event.key === "Escape") close();
  else return;
  event.preventDefault();
});
field.form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.children[selected]?.querySelector("a").click();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target === field || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
});
document.addEventListener("click", (event) => { if (!field.form.contains(event.target)) close(); });

// A link to a search, such as ./?q=LiveQuery.
const asked = new URLSearchParams(location.search).get("q");
if (asked) {
  field.value = asked;
  update();
}
