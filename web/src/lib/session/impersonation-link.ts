import type { AccountId } from '@portico/contract/accounts'
import { accountIn } from './address-account.ts'

/** Content of an impersonation link: a token, and its account. */
export type ImpersonationLink = { token: string; account: AccountId }

/**
 * Reads `?token=…&aid=…` and takes it out of the address at once, so that the token stays neither in the history nor in
 * what is copied from there. Null when the portal was not opened by such a link.
 */
export function takeImpersonationLink(): ImpersonationLink | null {
  const { pathname, search, hash } = window.location
  const params = new URLSearchParams(search)
  const token = params.get('token')
  const account = accountIn(`?account=${params.get('aid') ?? ''}`)
  if (!token || account === null) return null
  for (const name of ['token', 'aid', 'account']) params.delete(name)
  params.set('account', String(account))
  window.history.replaceState(window.history.state, '', `${pathname}?${params}${hash}`)
  return { token, account }
}
