// The front end of a live lab: one line until a kernel answers, then Jupyter's own controls.

async function render({ model, el: root }) {
  const client = Math.random().toString(36).slice(2);
  root.classList.add("sl-explorer", "sl-lab");
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  root.addEventListener("keydown", (event) => event.stopPropagation());
  const add = (className, text) => {
    const element = document.createElement(className === "sl-title" ? "div" : "p");
    element.className = className;
    element.textContent = text;
    root.append(element);
    return element;
  };
  add("sl-title", model.get("_title"));
  const how = add("sl-description", model.get("_how"));

  async function hear(message) {
    if (message?.client !== client || message.kind !== "controls") return;
    model.off("msg:custom", hear);
    const manager = model.widget_manager;
    if (!manager) {
      how.textContent = model.get("_elsewhere");
      return;
    }
    how.textContent = model.get("_live");
    const views = [];
    for (const id of message.models) views.push(await manager.create_view(await manager.get_model(id)));
    root.append(...views.map((view) => view.el));
    // A view takes its layout and the width of its label when it hears that it is on the page.
    for (const view of views) view.trigger("displayed");
  }
  model.on("msg:custom", hear);
  model.send({ kind: "hello", client });
  return () => model.off("msg:custom", hear);
}

export default { render };
