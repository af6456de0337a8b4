// Runs before the first paint, as a file because the content security policy allows no inline script.
;(function () {
  let scheme = null
  try {
    scheme = localStorage.getItem('portico.colorScheme')
  } catch {
    // Storage may be blocked; the system's choice is used then.
  }
  if (scheme !== 'light' && scheme !== 'dark') {
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  }
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
})()
