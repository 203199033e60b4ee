// The slides of a lecture: a key turns the page, F fills the screen, D changes light and dark. Without
// scripts one scrolls from slide to slide.
(() => {
  const root = document.documentElement;
  root.dataset.theme =
    { dark: "dark", light: "light" }[localStorage.getItem("mode")] ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

  const STEPS = {
    ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1,
    Home: -Infinity, End: Infinity,
  };

  function turn(step) {
    const slides = [...document.querySelectorAll(".sl-slide")];
    // the last slide whose upper edge has come to the top of the window
    const now = slides.findLastIndex((slide) => slide.getBoundingClientRect().top < 2);
    const next = slides[Math.min(Math.max(now + step, 0), slides.length - 1)];
    next.scrollIntoView({ behavior: "instant" });
    history.replaceState(null, "", `#${next.id}`);
  }

  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in STEPS) turn(STEPS[event.key]);
    else if (event.key === "f") {
      if (document.fullscreenElement) document.exitFullscreen();
      else root.requestFullscreen();
    } else if (event.key === "d") root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    else return;
    event.preventDefault();
  });

  // on paper the light colors
  let shown;
  addEventListener("beforeprint", () => {
    shown = root.dataset.theme;
    root.dataset.theme = "light";
  });
  addEventListener("afterprint", () => { root.dataset.theme = shown; });
})();
