import type { RemoteAccessDraft } from '@portico/contract/remote-access'
import { readAccessDomain } from '@portico/contract/remote-access/rules'
import { parse } from 'tldts'
import { invalidField } from '#platform/app-error.ts'

/** Whether anyone can register a name below the host: `com`, `co.uk`, `github.io`. */
function isPublicSuffix(host: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true })
  return (isIcann === true || isPrivate === true) && publicSuffix === host
}

/** @throws invalid_input naming `includeSubDomains` */
export function requireOwnDomain({ type, domainOrIp, includeSubDomains }: RemoteAccessDraft): void {
  const host = readAccessDomain(domainOrIp)?.host ?? ''
  if (type !== 'domain' || !includeSubDomains || !isPublicSuffix(host)) return
  throw invalidField(
    'includeSubDomains',
    `Anyone can register a name below ${host}. Enter your own domain, such as example.${host}.`,
  )
}
