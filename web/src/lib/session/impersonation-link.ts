import type { AccountId } from '@portico/contract/accounts'
import { accountIn } from './address-account.ts'

/** Content of an impersonation link: a token, and its account. */
export type ImpersonationLink = { token: string; account: AccountId }

/**
 * Reads `#token=…&aid=…` and removes it from the address at once: the token stays neither in the history nor in a
 * copied address. Null if the portal was not opened by such a link. Links from earlier releases have both in the query.
 */
export function takeImpersonationLink(): ImpersonationLink | null {
  const { pathname, search, hash } = window.location
  const inHash = linkIn(hash)
  const link = inHash ?? linkIn(search)
  if (!link) return null
  const params = new URLSearchParams(search)
  for (const name of ['token', 'aid', 'account']) params.delete(name)
  params.set('account', String(link.account))
  window.history.replaceState(window.history.state, '', `${pathname}?${params}${inHash ? '' : hash}`)
  return link
}

/** Opens a link that is pasted into a tab of the portal: a change of the fragment alone does not load the page. */
export function followPastedLinks(): void {
  window.addEventListener('hashchange', () => {
    if (linkIn(window.location.hash)) window.location.reload()
  })
}

/** `part` is the query or the fragment, with its first character. */
function linkIn(part: string): ImpersonationLink | null {
  const params = new URLSearchParams(part.slice(1))
  const token = params.get('token')
  const account = accountIn(`?account=${params.get('aid') ?? ''}`)
  return token && account !== null ? { token, account } : null
}
