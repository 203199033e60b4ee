// Gives the theme's buttons their actions, which it writes into attributes: the policy of the pages
// runs no such handler (see book/_ext/companion_policy.py).
(() => {
  const actions = {
    print: () => window.print(),
    fullscreen: () => window.toggleFullScreen?.(),
  };
  for (const button of document.querySelectorAll("[data-companion-does]")) {
    button.addEventListener("click", () => actions[button.dataset.companionDoes]?.());
  }
})();
