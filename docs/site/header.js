// The line above each page of the documentation: the way to the front page, and its search. docc's pages show an element of
// this name where there is one.
"use strict";

(() => {
  const front = new URL("../", document.currentScript.src).href;

  const style = `
    :host {
      display: block; --page: #fff; --raised: #f5f5f7; --line: #d2d2d7; --text: #1d1d1f;
      font: 15px/1.4 -apple-system, "Segoe UI", "Helvetica Neue", Roboto, "DejaVu Sans", sans-serif;
    }
    @media (prefers-color-scheme: dark) {
      :host(:not([data-color-scheme="light"])) { --page: #000; --raised: #1b1b1d; --line: #424245; --text: #f5f5f7; }
    }
    :host([data-color-scheme="dark"]) { --page: #000; --raised: #1b1b1d; --line: #424245; --text: #f5f5f7; }
    nav {
      display: flex; flex-wrap: wrap; align-items: center; gap: 4px 20px; padding: 8px 20px; background: var(--page);
      border-bottom: 1px solid var(--line);
    }
    a { color: var(--text); text-decoration: none; }
    a:hover { text-decoration: underline; }
    a:first-child { font-weight: 600; }
    form { margin-left: auto; }
    input {
      width: 15em; padding: 4px 10px; font: inherit; color: var(--text); background: var(--raised);
      border: 1px solid var(--line); border-radius: 7px;
    }`;

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  customElements.define("custom-header", class extends HTMLElement {
    connectedCallback() {
      if (this.shadowRoot) return;
      const field = element("input", { name: "q", type: "search", placeholder: "Search all modules", ariaLabel: "Search all modules" });
      this.attachShadow({ mode: "open" }).append(
        element("style", {}, style),
        element("nav", { ariaLabel: "The site" },
          element("a", { href: front }, "EntityClient"),
          element("a", { href: `${front}documentation/guides/` }, "Guides"),
          element("form", { action: front, role: "search" }, field)));
    }
  });
})();
