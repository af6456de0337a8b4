import type { AccountId } from '@portico/contract/accounts'

// Every address of the portal names the account it is in, `…?account=12`: a copied link, a link in a new tab and a
// reload lead into that account, whichever accounts other tabs are in (decision 0024). Screens never see it:
// `app/account-history.ts` removes it from the addresses they read and adds it to those they write.

const parameter = 'account'

let account: AccountId | null = accountIn(window.location.search)

/** The account of the shown address; null if it names none. */
export const addressAccount = (): AccountId | null => account

/** Sets the account of all addresses from now on. The current address keeps its account until it is replaced. */
export function setAddressAccount(next: AccountId | null): void {
  account = next
}

/** Puts the account into the shown address, which otherwise stays the same. */
export function stampAddress(): void {
  const { pathname, search, hash } = window.location
  const stamped = withAccount(pathname + search + hash)
  if (stamped !== pathname + search + hash) window.history.replaceState(window.history.state, '', stamped)
}

export function accountIn(search: string): AccountId | null {
  const text = new URLSearchParams(search).get(parameter) ?? ''
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null
}

/** A query string, with its question mark or empty, without the account. The rest stays as it was written. */
export function withoutAccount(search: string): string {
  const rest = search
    .replace(/^\?/, '')
    .split('&')
    .filter((part) => part !== '' && part.split('=')[0] !== parameter)
  return rest.length > 0 ? `?${rest.join('&')}` : ''
}

/** An address of the portal with this tab's account in it. */
export function withAccount(href: string): string {
  const [, path = '', search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(href) ?? []
  const rest = withoutAccount(search)
  if (account === null) return path + rest + hash
  return `${path}${rest === '' ? '?' : `${rest}&`}${parameter}=${account}${hash}`
}
