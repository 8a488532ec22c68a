// Sets the theme before the first paint: the user's choice, or the system's.
"use strict";
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const storedTheme = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const apply = () => {
    document.documentElement.dataset.theme = storedTheme() ?? (system.matches ? "dark" : "light");
  };
  system.addEventListener("change", apply);
  addEventListener("themechange", apply);
  apply();
})();
