import type { AccountId } from '@portico/contract/accounts'
import { holderText } from '#access'
import { isAccountOpen } from '#accounts'
import { actsAsRefusal, grantRefusal } from '#credentials'
import { selectPerson } from '#persons'
import type { Database } from '#platform/database.ts'
import type { LinkGrant } from '#platform/storage.ts'
import { type DeliveredFile, selectDeliveredFile } from './deliveries.queries.ts'

type Maker = NonNullable<DeliveredFile['maker']>

/** For whom a file was made; null for one of the portal itself, which makes the files of demo accounts. */
export const makerOf = ({ maker }: DeliveredFile): Maker | null =>
  maker && (maker.actsAs || maker.email.includes('@')) ? maker : null

/**
 * Why a file may not be given to its receivers any more, in words for users; null while it may: by the requests that it was
 * made by, as its maker may make them now. Each attempt to deliver it asks, and each use of a link to it.
 */
export async function fileRefusal(database: Database, account: AccountId, maker: Maker): Promise<string | null> {
  if (!(await isAccountOpen(database.db, account))) return 'This account is suspended.'
  if (maker.actsAs) return actsAsRefusal(database, maker.actsAs)
  // Files of earlier releases name a person only, and keep no request that could be judged.
  const person = await selectPerson(database.db, maker.email)
  if (!person) return 'Their account was removed.'
  const holder = holderText({ kind: 'session', person: person.id })
  return grantRefusal(database, { holder, account, access: maker.access, request: null })
}

/** The grant of a link in a delivery: its file decides, as the delivery keeps it. A filter would be too long for a link. */
export const linkOf = (account: AccountId, { email, access, actsAs }: Maker, delivery: string): LinkGrant => ({
  holder: actsAs?.holder ?? email,
  account,
  access,
  request: null,
  delivery,
})

/** Why a link in a delivery no longer works, in words for users; null while it does. `key`: of the file that it leads to. */
export async function deliveredLinkRefusal(database: Database, key: string, grant: LinkGrant): Promise<string | null> {
  const { account, delivery = null } = grant
  const file = await selectDeliveredFile(database.db, account, { delivery, key })
  if (file) {
    const maker = makerOf(file)
    return maker && fileRefusal(database, account, maker)
  }
  // Links of earlier releases do not name their delivery.
  return delivery === null ? grantRefusal(database, grant) : 'Its delivery was removed.'
}
