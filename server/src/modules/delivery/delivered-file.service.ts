import type { AccountId } from '@portico/contract/accounts'
import { holderText } from '#access'
import { isAccountOpen } from '#accounts'
import { actsAsRefusal, grantRefusal } from '#credentials'
import { selectPerson } from '#persons'
import type { Database } from '#platform/database.ts'
import type { LinkGrant } from '#platform/storage.ts'
import { type DeliveredFile, selectDeliveredFile } from './deliveries.queries.ts'

type Maker = NonNullable<DeliveredFile['maker']>

/** The creator of a file; null for a file of the portal itself, which creates those of demo accounts. */
export const makerOf = ({ maker }: DeliveredFile): Maker | null =>
  maker && (maker.actsAs || maker.email.includes('@')) ? maker : null

/**
 * Why a file may no longer be given to its receivers, in words for users; null while it may. Judges the requests that
 * created it by the current rights of its creator. Called for each attempt to deliver it, and for each use of a link to
 * it.
 */
export async function fileRefusal(database: Database, account: AccountId, maker: Maker): Promise<string | null> {
  if (!(await isAccountOpen(database.db, account))) return 'This account is suspended.'
  if (maker.actsAs) return actsAsRefusal(database, maker.actsAs)
  // Files of earlier releases name only a person, and store no request that could be judged.
  const person = await selectPerson(database.db, maker.email)
  if (!person) return 'Their account was removed.'
  const holder = holderText({ kind: 'session', person: person.id })
  return grantRefusal(database, { holder, account, access: maker.access, request: null })
}

/**
 * The grant of a link in a delivery: the right of its file decides, as stored with the delivery. A filter would be too
 * long for a link.
 */
export const linkOf = (account: AccountId, { email, access, actsAs }: Maker, delivery: string): LinkGrant => ({
  holder: actsAs?.holder ?? email,
  account,
  access,
  request: null,
  delivery,
})

/**
 * Why a link in a delivery no longer works, in words for users; null while it does. `key`: the key of the file it leads
 * to.
 */
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
