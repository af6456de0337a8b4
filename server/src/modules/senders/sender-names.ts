import { trimmed } from '@portico/domain/trimming'
import { normalizeText } from '@portico/domain/unicode'
import type { AccountId } from '@portico/contract/accounts'
import { domainOfKey, isSameCaller, readEmailAddress } from '@portico/contract/email-address'
import { foldName } from '@portico/domain/names'
import { nameWithAddress } from '@portico/contract/senders'
import { shownText } from '@portico/contract/shown-text'
import { requireAccount, requireAccountDetails, selectUnrelatedNames } from '#accounts'
import type { Config } from '#platform/config.ts'
import type { Db } from '#platform/database.ts'
import { portalSender } from '#platform/mail.ts'
import { latinLook } from '#platform/texts/look-alikes.ts'
import { registeredDomain } from '#platform/texts/registered-domain.ts'

/** The author of an email. Many mail programs show only the name. */
export type Author = { name: string; address: string }

type Portal = Pick<Config, 'mailFrom' | 'company' | 'product' | 'publicUrl'>

/** Whether an address is the one used for the portal's own emails, such as those about passwords. */
export const isPortalAddress = (config: Portal, address: string): boolean =>
  isSameCaller(address, portalSender(config).address)

/**
 * The author as recipients see them. From the portal's own address (also if `author` is null and may no longer send),
 * the name is the account's, so no email looks like one of the portal. Other authors lose a name that could not be
 * saved now, which notifications of earlier releases and renamed accounts may have.
 */
export async function shownAuthor(db: Db, config: Portal, account: AccountId, author: Author | null): Promise<Author> {
  const { address } = portalSender(config)
  if (!author || isPortalAddress(config, author.address)) {
    const { name } = await requireAccount(db, account)
    return { name: `${shownText(name)} via ${config.product}`, address }
  }
  return (await authorProblem(db, config, account, author)) === null ? author : { ...author, name: '' }
}

/**
 * Why an account's emails may not have this name; null if they may. It must not show another address or web site than
 * the author's, contain invisible characters, or be the name of the portal or of another account that does not belong
 * to the same company.
 */
export async function authorProblem(
  db: Db,
  config: Portal,
  account: AccountId,
  author: Author,
): Promise<string | null> {
  const { name } = author
  if (shownText(name) !== name) return 'A name cannot contain invisible characters. Type it again.'
  if (showsOtherAddress(author)) return nameWithAddress
  const site = otherSite(author)
  if (site !== null) return `A name cannot contain the web address of others (${site}). Use your own, or leave it out.`
  const own = await requireAccountDetails(db, account)
  if (namesPortal(config, name, own.name)) return 'This is the name of the portal. Use a name of your own.'
  if ([own.name, own.parentName ?? ''].some((mine) => bareLook(mine) === bareLook(name))) return null
  return (await isNameOfOthers(db, account, name))
    ? 'This is the name of another account. Use a name of your own.'
    : null
}

/** Whether the name is, or contains as words, one of the portal's, unless the account's own name does too. */
function namesPortal({ mailFrom, company, product }: Portal, name: string, own: string): boolean {
  return [company, product, mailFrom?.name ?? '']
    .map(lettersOf)
    .some((portal) => portal !== '' && hasWords(name, portal) && !hasWords(own, portal))
}

// Shorter names, such as IT, occur as words in many others.
const leastWord = 4

/** Whether consecutive words of the text have exactly these letters: `Port-ico Security` contains `portico`. */
function hasWords(text: string, letters: string): boolean {
  if (lettersOf(text) === letters) return true
  if (letters.length < leastWord) return false
  const words = plainLook(text).match(/\p{L}+/gu) ?? []
  return words.some((_, start) =>
    words.some((__, end) => end >= start && words.slice(start, end + 1).join('') === letters),
  )
}

/** Compares with every account: there is no index on what names look like. */
async function isNameOfOthers(db: Db, account: AccountId, name: string): Promise<boolean> {
  const keys = [foldName(name), foldName(latinLook(name).replaceAll(/\p{Z}+/gu, ' '))]
  const look = bareLook(name)
  const others = await selectUnrelatedNames(db, account)
  return others.some((other) => keys.includes(foldName(other)) || (look !== '' && bareLook(other) === look))
}

/** The visual form of a text, without accents. */
const plainLook = (text: string): string => normalizeText(latinLook(text), 'NFKD').replaceAll(/\p{M}+/gu, '')

/** The visual form without accents and signs, which is the same for `Bíg-Bank.` and `Big Bank`. */
const bareLook = (text: string): string => plainLook(text).replaceAll(/[^\p{L}\p{N}]+/gu, '')

const lettersOf = (text: string): string => plainLook(text).replaceAll(/\P{L}+/gu, '')

/** Whether the name has a part that looks like an address other than the author's. */
function showsOtherAddress({ name, address }: Author): boolean {
  // With at least one character before and after the sign.
  const parts = name.split(/[\s<>()"',;:]/).filter((part) => /[@\uFE6B\uFF20]/.test(part.slice(1, -1)))
  return parts.some((part) => !isSameCaller(part, address))
}

/** The first part of the name that is a web address, unless its registered domain is the author's. */
function otherSite({ name, address }: Author): string | null {
  const read = readEmailAddress(address)
  const own = 'key' in read ? registeredDomain(domainOfKey(read.key)) : null
  const words = latinLook(name).match(/[\p{L}\p{N}.\u3002-]+/gu) ?? []
  const parts = words
    .flatMap((word) => word.split(/[.\u3002]{2,}/))
    .map((part) => trimmed(part, '.\u3002'))
    .filter((part) => /[.\u3002]/.test(part))
  return parts.find((part) => ![null, own].includes(registeredDomain(part))) ?? null
}
