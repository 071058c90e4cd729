/// The files that all pages load. They stand in the code, so that a program with the inspector is one file.
enum Assets {
  static let style = """
    *{box-sizing:border-box}
    :root{color-scheme:light dark;--paper:#fff;--soft:#f4f5f7;--line:#d8dade;--ink:#1b1d21;--dim:#5f6672;--link:#0b5cb8;
    --edit:#8a4b00;--editbg:#fef3c7;--bad:#b42318;--new:#d3f4dd}
    @media(prefers-color-scheme:dark){:root{--paper:#131519;--soft:#1b1e23;--line:#30343b;--ink:#e6e8eb;--dim:#9aa1ac;
    --link:#79b8ff;--edit:#fbbf24;--editbg:#3a2e0e;--bad:#ff8a80;--new:#17402a}}
    body{margin:0;font:13px/1.4 system-ui,sans-serif;color:var(--ink);background:var(--paper);display:grid;
    grid-template-columns:210px minmax(0,1fr);min-height:100vh}
    nav{border-right:1px solid var(--line);padding:8px;background:var(--soft);position:sticky;top:0;height:100vh;overflow:auto}
    nav a{display:flex;justify-content:space-between;gap:8px;padding:2px 6px;border-radius:4px;color:inherit;
    text-decoration:none;overflow-wrap:anywhere}
    nav a:hover,nav a[aria-current]{background:var(--line)}
    nav small{color:var(--dim);white-space:nowrap}
    nav h2{font-size:11px;text-transform:uppercase;letter-spacing:.04em;color:var(--dim);margin:12px 6px 4px}
    .file{margin:2px 6px;overflow-wrap:anywhere}.file small{display:block}.edits{color:var(--edit)}
    .hint{margin:14px 6px;color:var(--dim)}
    main{padding:8px 14px 40px}h1{font-size:16px;margin:2px 0 8px;overflow-wrap:anywhere}main h2{font-size:13px;margin:18px 0 6px}
    a{color:var(--link)}:focus-visible{outline:2px solid var(--link);outline-offset:1px}
    .scroll{overflow:auto;max-height:calc(100vh - 110px);border:1px solid var(--line);border-radius:4px;width:fit-content;
    max-width:100%}
    table{border-collapse:separate;border-spacing:0;font-variant-numeric:tabular-nums}
    td,th{border-bottom:1px solid var(--line);padding:2px 8px;text-align:left;vertical-align:top;white-space:nowrap;
    max-width:34ch;overflow:hidden;text-overflow:ellipsis}
    tbody tr:last-child>*{border-bottom:0}
    thead th{position:sticky;top:0;background:var(--soft);font-weight:600;z-index:1}
    th small{display:block;color:var(--dim);font-weight:400}th a{color:inherit;text-decoration:none}
    th input{width:100%;min-width:7ch;font:inherit;padding:1px 4px;border:1px solid var(--line);border-radius:3px;
    background:var(--paper);color:inherit}
    tbody tr:hover,tbody tr:focus-within{background:var(--soft)}
    td.number{text-align:right}td.null{color:var(--dim);font-style:italic}td.bytes{color:var(--dim)}
    td.json,pre,textarea,.plan{font-family:ui-monospace,monospace;font-size:12px}
    td.edited{background:var(--editbg);color:var(--edit)}td.changed{background:var(--new)}
    td.url{max-width:60ch}td br+small{color:var(--dim)}
    td.wide{white-space:pre-wrap;max-width:90ch;overflow-wrap:anywhere}
    .tag{font-size:11px;border:1px solid var(--line);border-radius:3px;padding:0 4px;margin-right:4px;color:var(--dim)}
    .note{color:var(--dim)}.problem{color:var(--bad)}.scan{color:var(--bad);font-weight:600}
    .bar{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline;margin:6px 0}
    .bar a[aria-current]{color:inherit;font-weight:600;text-decoration:none}
    textarea{width:100%;max-width:110ch;min-height:7em;padding:6px;border:1px solid var(--line);border-radius:4px;
    background:var(--paper);color:inherit}
    button{font:inherit;padding:2px 10px}
    details.fields{margin:0 0 6px}summary{cursor:pointer;width:fit-content}details.fields dl{margin:4px 0 4px 14px}
    details.fields dd{overflow-wrap:anywhere}
    .tree{font:12px/1.5 ui-monospace,monospace;max-width:110ch}.tree details>*:not(summary){margin-left:18px}
    .tree .key{color:var(--dim)}.tree .key::after{content:":"}.tree small,.tree .null{color:var(--dim)}
    .tree .amount,.tree .flag{color:var(--link)}.tree .text{white-space:pre-wrap;overflow-wrap:anywhere}
    pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;max-width:110ch}
    dialog{border:1px solid var(--line);border-radius:6px;background:var(--paper);color:inherit}
    dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 14px;margin:0}dd{margin:0}
    dt{color:var(--dim)}kbd{border:1px solid var(--line);border-radius:3px;padding:0 4px;background:var(--soft)}
    svg{max-width:100%;height:auto}svg rect{fill:var(--soft);stroke:var(--line)}
    svg text{fill:var(--ink);font:12px system-ui,sans-serif}svg path{fill:none;stroke:var(--dim)}
    svg rect.bar{fill:var(--link);stroke:none}
    svg marker path{fill:var(--dim);stroke:none}
    @media(max-width:640px){body{display:block}nav{position:static;height:auto;border-right:0}}
    @media(prefers-reduced-motion:no-preference){td{transition:background-color .6s}}
    """

  static let script = #"""
    "use strict";
    const all = (selector, root = document) => [...root.querySelectorAll(selector)];
    const one = (selector) => document.querySelector(selector);

    // Live: after each commit the page fetches itself, and takes over what changed.
    let source = null, busy = false, again = false;
    const generation = () => document.body.dataset.generation;

    function texts(root) {
      return new Map(all("[data-key]", root).map((cell) => [cell.dataset.key, cell.textContent]));
    }

    // The content that was taken over last: a part that stays equal is left alone, with its selection and its marks.
    const last = new WeakMap();

    function takeOver(part, fresh) {
      if ((last.get(part) ?? part.innerHTML) === fresh.innerHTML) return;
      last.set(part, fresh.innerHTML);
      const old = texts(part);
      const places = all(".scroll", part).map((table) => [table.scrollLeft, table.scrollTop]);
      part.replaceChildren(...fresh.childNodes);
      all(".scroll", part).forEach((table, number) => table.scrollTo(...(places[number] ?? [0, 0])));
      for (const cell of all("[data-key]", part)) {
        const key = cell.dataset.key;
        cell.classList.toggle("changed", old.size > 0 && old.get(key) !== cell.textContent);
      }
    }

    async function refresh() {
      // A check of the file takes seconds, and is of the moment when it was asked for.
      if (new URLSearchParams(location.search).has("check")) return;
      if (busy) { again = true; return; }
      busy = true;
      try {
        const focused = document.activeElement?.getAttribute("href");
        const response = await fetch(location.href, { cache: "no-store" });
        if (response.ok) {
          const page = new DOMParser().parseFromString(await response.text(), "text/html");
          document.body.dataset.generation = page.body.dataset.generation;
          // A page may have nothing more that changes by itself, or may have it from now on.
          if ("poll" in page.body.dataset) document.body.dataset.poll = ""; else delete document.body.dataset.poll;
          const fresh = new Map(all("[data-live]", page).map((part) => [part.dataset.live, part]));
          for (const part of all("[data-live]")) {
            const other = fresh.get(part.dataset.live);
            if (other) takeOver(part, other);
          }
          if (focused && document.activeElement === document.body) {
            all("a[href]").find((link) => link.getAttribute("href") === focused)?.focus();
          }
          document.body.dataset.updates = Number(document.body.dataset.updates ?? 0) + 1;
        }
      } catch { /* The inspector has ended; the stream says so. */ }
      busy = false;
      if (again) { again = false; refresh(); }
    }

    // Requests and queries of the app can change without a commit.
    setInterval(() => { if ("poll" in document.body.dataset && !document.hidden) refresh(); }, 1000);

    function listen() {
      if (source || document.hidden) return;
      source = new EventSource("events?after=" + encodeURIComponent(generation()));
      source.addEventListener("commit", refresh);
      source.addEventListener("request", () => { if (document.body.dataset.view === "requests") refresh(); });
      source.addEventListener("error", () => { document.body.dataset.stream = "lost"; });
      source.addEventListener("open", () => { document.body.dataset.stream = "open"; });
    }

    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) return listen();
      source?.close();
      source = null;
    });
    addEventListener("pagehide", () => { source?.close(); source = null; });
    addEventListener("pageshow", listen);
    listen();

    // Keys.
    function step(links, current, by) {
      const place = links.indexOf(current);
      return links[Math.min(Math.max(place + by, 0), links.length - 1)];
    }

    const keys = {
      j: () => step(all("nav a"), one("nav a[aria-current]"), 1)?.click(),
      k: () => step(all("nav a"), one("nav a[aria-current]"), -1)?.click(),
      n: () => one("a[rel=next]")?.click(),
      e: () => one(one("[data-only][aria-current]")?.dataset.only === "edited" ? "[data-only=all]" : "[data-only=edited]")?.click(),
      "/": () => one("main input, main textarea")?.focus(),
      "?": () => one("#help").showModal(),
      ArrowDown: () => step(all("tbody a.row"), document.activeElement, 1)?.focus(),
      ArrowUp: () => step(all("tbody a.row"), document.activeElement, -1)?.focus(),
    };

    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const field = event.target.matches("input, textarea");
      if (field) {
        if (event.key === "Escape") event.target.blur();
        if (event.key === "Enter" && event.target.matches("input")) event.target.form?.requestSubmit();
        return;
      }
      if (one("dialog[open]") || !Object.hasOwn(keys, event.key)) return;
      event.preventDefault();
      keys[event.key]();
    });

    // Empty conditions stay out of the address.
    addEventListener("submit", (event) => {
      for (const input of event.target.elements) if (input.matches("input")) input.disabled = input.value === "";
    });
    addEventListener("pageshow", () => { for (const input of all("main input")) input.disabled = false; });
    """#
}
