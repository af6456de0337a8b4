import { readEmailAddress, readPersonalAddress } from '@portico/contract/email-address'
import { messages } from '@portico/contract/messages'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { findOrAddPerson, type Person, selectAmbiguous, selectEmail, updateEmail } from './persons.queries.ts'

const sharedAddress = 'Several people have this address. The operator of the portal can change that.'

/**
 * The person with this email, to be given an identity; added if there is none.
 * @throws invalid_input at `email` for a text that is not an address, and for an address that several persons share
 */
export async function requirePersonWith(db: Db, email: string): Promise<Person> {
  const read = readPersonalAddress(email)
  if (!('key' in read)) throw invalidField('email', read.problem ?? messages.invalid)
  const person = await findOrAddPerson(db, read.address)
  if (!person) throw invalidField('email', sharedAddress)
  return person
}

/**
 * Gives a person another address. If only one of those who shared the former address is left, that person can be found
 * by it again.
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

/** Makes a person findable again by an address that several persons shared, once they are the only one who has it. */
async function endConflict(db: Db, key: string): Promise<void> {
  const [left, ...others] = await selectAmbiguous(db, key)
  const read = left && others.length === 0 && readEmailAddress(left.email)
  if (read && 'key' in read) await updateEmail(db, left.id, read)
}
