"use strict";
(() => {
  const field = document.getElementById("search");
  const found = document.getElementById("found");
  const entities = [...document.querySelectorAll("article.entity")].map((element) => ({
    element,
    entry: document.querySelector(`nav a[href="#${CSS.escape(element.id)}"]`),
    name: element.id.toLowerCase(),
    text: element.textContent.toLowerCase(),
  }));
  const headings = [...document.querySelectorAll("h2.kind, nav .part")];
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let number = 0;
    for (const each of entities) {
      const fits = words.every((word) => each.text.includes(word) || each.name.includes(word));
      number += fits;
      each.element.hidden = !fits;
      if (each.entry) each.entry.parentElement.hidden = !fits;
    }
    for (const each of headings) each.hidden = false;
    for (const part of document.querySelectorAll("nav .part"))
      part.hidden = ![...part.querySelectorAll("li")].some((item) => !item.hidden);
    for (const heading of document.querySelectorAll("h2.kind")) {
      let next = heading.nextElementSibling;
      let some = false;
      for (; next && next.matches("article"); next = next.nextElementSibling) some = some || !next.hidden;
      heading.hidden = !some;
    }
    found.textContent = words.length ? `${number} of ${entities.length}` : "";
  };
  field.hidden = false;
  field.addEventListener("input", show);
  if (matchMedia("(max-width: 899px)").matches) document.getElementById("contents").open = false;
  addEventListener("hashchange", () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.closest("[hidden]")) {
      field.value = "";
      show();
      target.scrollIntoView();
    }
  });
})();
