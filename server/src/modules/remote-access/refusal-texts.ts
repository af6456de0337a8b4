import type { CallRefusal } from '@portico/contract/remote-access'

/** Why a call is not served, in words for users who manage remote accesses. */
export const refusalTexts: Record<CallRefusal, string> = {
  invalid_origin: 'This is not the origin of a page, such as https://shop.example.com.',
  insecure_origin: 'Pages must use https, except on localhost and IP addresses.',
  origin_not_allowed: 'No remote access lets pages of this domain in.',
  address_not_allowed: 'No remote access lets this address in.',
  other_columns: 'A remote access lets the caller in, but authenticates with other columns.',
  paused: 'The remote access is paused.',
  expired: 'The remote access has expired.',
  no_index: 'Not served yet: the index of the authentication columns is still being built.',
  saver_not_allowed: 'The identity or API credential that saved the remote access may no longer do so. Save it again.',
  not_found: 'No contact has these values.',
  several: 'Several contacts have these values, so none is served.',
}
