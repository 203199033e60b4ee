// Mounts the widgets of a static page from the state that the notebook stored.  Works over http and
// from file://, asks the network for nothing, and leaves the still picture where something fails.
(() => {
  const STATE = "application/vnd.jupyter.widget-state+json";
  const VIEW = "application/vnd.jupyter.widget-view+json";

  /** A model without a kernel: values stay in the page. */
  class StaticModel {
    constructor(state) {
      this.state = { ...state };
      this.handlers = new Map();
    }
    get(name) {
      return this.state[name];
    }
    set(name, value) {
      if (this.state[name] === value) return;
      this.state[name] = value;
      this.emit(`change:${name}`);
    }
    on(event, handler) {
      if (!this.handlers.has(event)) this.handlers.set(event, new Set());
      this.handlers.get(event).add(handler);
    }
    off(event, handler) {
      if (handler) this.handlers.get(event)?.delete(handler);
      else this.handlers.delete(event);
    }
    emit(event) {
      for (const handler of [...(this.handlers.get(event) ?? [])]) handler();
    }
    save_changes() {}
    send() {}
  }

  const modules = new Map(); // by source
  function load(source) {
    if (!modules.has(source)) {
      const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      modules.set(source, import(url).finally(() => URL.revokeObjectURL(url)));
    }
    return modules.get(source);
  }

  const styles = new Set();
  function addStyle(text) {
    if (!text || styles.has(text)) return;
    styles.add(text);
    document.head.append(Object.assign(document.createElement("style"), { textContent: text }));
  }

  function say(place, text) {
    const note = document.createElement("p");
    note.textContent = text;
    place.after(note);
  }

  async function mount(place, entry, models, id) {
    const state = entry.state;
    if (!models.has(id)) models.set(id, new StaticModel(state));
    const module = await load(state._esm);
    const widget = typeof module.default === "function" ? await module.default() : module.default;
    addStyle(state._css);
    const host = document.createElement("div");
    // Drawing measures, so the host stands in the page; the still goes last.
    host.className = "sl-waiting";
    place.before(host);
    try {
      await widget.initialize?.({ model: models.get(id) });
      await widget.render?.({ model: models.get(id), el: host });
    } catch (error) {
      host.remove();
      throw error;
    }
    const anchor = place.querySelector("[id]"); // links to the still lead to the widget
    place.remove();
    host.classList.remove("sl-waiting");
    if (anchor) host.id = anchor.id;
  }

  async function boot() {
    const models = new Map();
    let failed = 0;
    const source = document.querySelector(`script[type="${STATE}"]`);
    const saved = source ? JSON.parse(source.textContent).state : {};
    const byKey = new Map(Object.entries(saved).map(([id, entry]) => [entry.state?._key, id]));
    const places = [...document.querySelectorAll(`[data-sl-widget], script[type="${VIEW}"]`)];
    for (const place of places) {
      const key = place.getAttribute("data-sl-widget");
      const id = key === null ? JSON.parse(place.textContent).model_id : byKey.get(key);
      const entry = saved[id];
      try {
        if (!entry) throw new Error("its state is not stored in the page");
        if (entry.model_module !== "anywidget") {
          say(place, "This control needs a running Jupyter: open the notebook to use it.");
          continue;
        }
        await mount(place, entry, models, id);
        performance.mark("explorer"); // the first is timed
      } catch (error) {
        failed += 1;
        console.warn("A widget could not be mounted:", error);
        say(place, "The controls of this figure could not be started in this browser.");
      }
    }
    document.documentElement.dataset.widgetsFailed = failed;
    document.documentElement.dataset.widgetsReady = "1";
  }

  // At the end of the page nothing is missing that a widget needs.
  const atTheEnd = document.body?.contains(document.currentScript);
  if (document.readyState === "loading" && !atTheEnd) document.addEventListener("DOMContentLoaded", boot);
  else boot();
})();
