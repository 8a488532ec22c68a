// Sets the colours before the first paint: the person's choice, or the system's.
"use strict";
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const choice = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const apply = () => {
    document.documentElement.dataset.theme = choice() ?? (system.matches ? "dark" : "light");
  };
  system.addEventListener("change", apply);
  addEventListener("themechange", apply);
  apply();
})();
