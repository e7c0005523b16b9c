// Keeps what changes on a pull request's page up to date without loading it again: what somebody types stays.
setInterval(async () => {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-live]")) {
      const other = fresh.getElementById(part.id);
      if (other && other.innerHTML !== part.innerHTML) part.innerHTML = other.innerHTML;
    }
  } catch { /* the demo has ended, or begins anew */ }
}, 2000);
