import type { AccountId } from '@portico/contract/accounts'
import { domainOfKey, isSameCaller, readEmailAddress } from '@portico/contract/email-address'
import { foldName } from '@portico/contract/names'
import { nameWithAddress } from '@portico/contract/senders'
import { shownText } from '@portico/contract/shown-text'
import { selectUnrelatedAccount } from '#accounts'
import type { Db } from '#platform/database.ts'
import { latinLook } from '#platform/texts/look-alikes.ts'
import { registeredDomain } from '#platform/texts/registered-domain.ts'

/** The author of an email. Many mail programs show the name alone. */
export type Author = { name: string; address: string }

/**
 * Why an account's emails may not have this name, or null: it shows another address or web site than the author's, it has
 * characters that are not seen, or it is that of another account that does not belong to the same company.
 */
export async function authorProblem(db: Db, account: AccountId, author: Author): Promise<string | null> {
  const { name } = author
  if (shownText(name) !== name) return 'A name cannot contain invisible characters. Type it again.'
  if (showsOtherAddress(author)) return nameWithAddress
  const site = otherSite(author)
  if (site !== null) return `A name cannot contain the web address of others (${site}). Use your own, or leave it out.`
  return (await selectUnrelatedAccount(db, account, keysOf(name))) === null
    ? null
    : 'This is the name of another account. Use a name of your own.'
}

/** The keys of accounts whose name is this one, or looks like it. */
function keysOf(name: string): string[] {
  const look = latinLook(name).replaceAll(/\p{Z}+/gu, ' ')
  return [foldName(name), foldName(look)]
}

/** Whether the name has a part that looks like an address other than the author's. */
function showsOtherAddress({ name, address }: Author): boolean {
  const parts = name.match(/[^\s<>()"',;:]+[@\uFE6B\uFF20][^\s<>()"',;:]+/g) ?? []
  return parts.some((part) => !isSameCaller(part, address))
}

/** The first part of the name that is a web address, unless its registered domain is the author's. */
function otherSite({ name, address }: Author): string | null {
  const read = readEmailAddress(address)
  const own = 'key' in read ? registeredDomain(domainOfKey(read.key)) : null
  const parts = latinLook(name).match(/[\p{L}\p{N}-]+(?:[.\u3002][\p{L}\p{N}-]+)+/gu) ?? []
  return parts.find((part) => ![null, own].includes(registeredDomain(part))) ?? null
}
