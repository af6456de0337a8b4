import { createPath, type To, UNSAFE_createBrowserHistory as createBrowserHistory } from 'react-router'
import { withAccount, withoutAccount } from '#lib/session/address-account.ts'

type BrowserHistory = ReturnType<typeof createBrowserHistory>

/**
 * The browser's history, with the tab's account in every address it writes and in the `href` of every link, but in none
 * that the router reads.
 */
export function createAccountHistory(): BrowserHistory {
  const browser = createBrowserHistory()
  const asItIs = createBrowserHistory()
  // Defined in place, because `push` and `replace` ask the history itself what to write.
  Object.defineProperty(browser, 'location', {
    get: () => ({ ...asItIs.location, search: withoutAccount(asItIs.location.search) }),
  })
  browser.createHref = (to: To) => withAccount(typeof to === 'string' ? to : createPath(to))
  return browser
}
