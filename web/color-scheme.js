// Runs before the first paint. The build inlines it into the page, where it costs no request; the server allows it by
// its hash in the content security policy.
;(function () {
  let scheme = null
  try {
    scheme = localStorage.getItem('portico.colorScheme')
  } catch {
    // Storage may be blocked; the system's choice applies then.
  }
  if (scheme !== 'light' && scheme !== 'dark') {
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  }
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
})()
