import { readEmailAddress, readPersonalAddress } from '@portico/contract/email-address'
import { messages } from '@portico/contract/messages'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { findOrAddPerson, type Person, selectAmbiguous, selectEmail, updateEmail } from './persons.queries.ts'

const sharedAddress = 'Several people have this address. The operator of the portal can change that.'

/**
 * The person with this email, who is added if there is none, to be given an identity.
 * @throws invalid_input at `email` for what is no address, and for one that several persons have
 */
export async function requirePersonWith(db: Db, email: string): Promise<Person> {
  const read = readPersonalAddress(email)
  if (!('key' in read)) throw invalidField('email', read.problem ?? messages.invalid)
  const person = await findOrAddPerson(db, read.address)
  if (!person) throw invalidField('email', sharedAddress)
  return person
}

/**
 * Gives a person another address; of those who had the former one together, a single one that is left is found by it again.
 * @throws not_found; invalid_input at `email`; name_taken
 */
export async function changeEmail(db: Db, id: string, email: string): Promise<{ before: string; email: string }> {
  const read = readPersonalAddress(email)
  if (!('key' in read)) throw invalidField('email', read.problem ?? messages.invalid)
  const person = await selectEmail(db, id)
  if (!person) throw new AppError('not_found', undefined, `No person has the id ${id}.`)
  if (!(await updateEmail(db, id, read))) {
    throw new AppError('name_taken', undefined, `Another person has the address ${read.address}.`)
  }
  if (person.key !== null) await endConflict(db, person.key)
  return { before: person.email, email: read.address }
}

/** Lets a person be found by an address that was several persons', once they are the only one who has it. */
async function endConflict(db: Db, key: string): Promise<void> {
  const [left, ...others] = await selectAmbiguous(db, key)
  const read = left && others.length === 0 && readEmailAddress(left.email)
  if (read && 'key' in read) await updateEmail(db, left.id, read)
}
