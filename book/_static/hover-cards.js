// Shows a word of the glossary, or a statement, on a card beside a reference to it: when the pointer
// rests on the reference, and when the keyboard reaches it. The Escape key closes the card; a finger
// follows the link instead. The cards come from companion-cards.js, which the build writes and which is
// fetched when the first of them is asked for.
(() => {
  const root = document.documentElement.dataset.content_root;
  if (root === undefined || !("popover" in HTMLElement.prototype)) return;

  const BASE = new URL(root, location.href).href;
  const LINKS = "article a.reference.internal[href*='#']";
  const DELAY = 250; // milliseconds, for a pointer that only passes
  const GAP = 6;

  const card = document.createElement("div");
  card.id = "companion-card";
  card.className = "companion-card";
  card.setAttribute("role", "tooltip");
  // not "auto": the theme keeps the Escape key from the browser
  card.popover = "manual";
  (document.querySelector("main") ?? document.body).append(card);

  let link = null; // what the card belongs to
  let dismissed = null; // closed by the reader: silent until it is left
  let timer = 0;

  let fetched; // a script, because a page that was opened from a folder can fetch nothing else
  function cards() {
    fetched ??= new Promise((done) => {
      const script = document.createElement("script");
      script.onload = script.onerror = () => done(window.companionCards ?? {});
      script.src = `${BASE}_static/companion-cards.js`;
      document.head.append(script);
    });
    return fetched;
  }

  async function textFor(target) {
    const address = target.href;
    if (!address.startsWith(BASE)) return undefined;
    return (await cards())[decodeURIComponent(address.slice(BASE.length))];
  }

  function inView(target) {
    const [path, anchor] = target.href.split("#");
    if (path !== location.href.split("#")[0]) return false;
    const box = document.getElementById(decodeURIComponent(anchor))?.getBoundingClientRect();
    return box !== undefined && box.top >= 0 && box.bottom <= innerHeight;
  }

  function place() {
    const at = link.getClientRects()[0];
    if (!at) return;
    const box = card.getBoundingClientRect();
    const left = Math.min(at.left, document.documentElement.clientWidth - box.width - 8);
    const below = at.bottom + GAP;
    const fits = below + box.height <= innerHeight || at.top < box.height + GAP;
    card.style.left = `${Math.max(8, left)}px`;
    card.style.top = `${fits ? below : at.top - box.height - GAP}px`;
  }

  let wanted = null; // whose card is to come
  async function open(target) {
    wanted = target;
    const text = await textFor(target);
    if (text === undefined || target !== wanted) return;
    if (target === dismissed || target === link || inView(target)) return;
    close();
    link = target;
    card.innerHTML = text;
    card.showPopover();
    link.setAttribute("aria-describedby", card.id);
    place();
  }

  function close() {
    clearTimeout(timer);
    wanted = null;
    const was = link;
    link = null;
    was?.removeAttribute("aria-describedby");
    if (card.matches(":popover-open")) card.hidePopover();
  }

  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !link) return;
      dismissed = link;
      close();
    },
    { capture: true },
  );
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    clearTimeout(timer);
    if (card.contains(event.target)) return;
    const target = event.target.closest?.(LINKS);
    if (target !== dismissed) dismissed = null;
    if (target) timer = setTimeout(open, DELAY, target);
    else if (link && link !== document.activeElement) timer = setTimeout(close, DELAY);
  });
  document.addEventListener("focusin", (event) => {
    const target = event.target.closest?.(LINKS);
    if (target?.matches(":focus-visible")) open(target);
  });
  document.addEventListener("focusout", () => {
    dismissed = null;
    close();
  });
  document.addEventListener("pointerdown", (event) => card.contains(event.target) || close());
  addEventListener("scroll", () => link && place(), { passive: true });
})();
