/**
 * Calls `onView` when the page shows another path without a reload, and when it returns from the back/forward cache.
 * Not for the first view.
 */
export function watchViews(onView: () => void): void {
  let { pathname } = location
  const check = (): void => {
    if (location.pathname === pathname) return
    ;({ pathname } = location)
    onView()
  }
  if (window.navigation) {
    window.navigation.addEventListener('currententrychange', check)
  } else {
    for (const method of ['pushState', 'replaceState'] as const) {
      const original = history[method].bind(history)
      history[method] = (...change) => {
        original(...change)
        check()
      }
    }
    addEventListener('popstate', check)
  }
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) onView()
  })
}
