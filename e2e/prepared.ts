import type { Import } from '@portico/contract/imports'
import { apiOf } from './api.ts'
import { columns, contacts, csvFile, csvLine } from './contact-file.ts'
import { recordEvents } from './database.ts'
import { type Account, makeAccount, makePerson, type Person } from './portal.ts'

export type Prepared = { account: Account; person: Person }

/**
 * Creates an account with content for every screen: an import with rows set aside, a rejected one, contacts, the first
 * of which has events, and an export.
 */
export async function prepareAccount(name: string, personName: string): Promise<Prepared> {
  const account = await makeAccount(name)
  const person = await makePerson(personName, { accounts: [account] })
  const api = await apiOf(person, account)
  const keys = { generatePURL: true, purlColumns: ['First Name', 'Last Name'], dedupColumns: ['Email'] }
  const file = csvFile(contacts(60)) + csvLine(['Too', 'few'])
  const { databaseName } = await api.importFile('Spring leads', file, keys)
  const { _id } = await api.submitImport('Doubtful leads', csvLine([...columns, 'Email']), keys)
  await api.until<Import>(`/contact-service/v1/imports/${_id}`, ({ status }) => status === 'rejected')
  const [first] = await api.get<{ _id: string }[]>('/contact-service/v1/offers?limit=1')
  await recordEvents(databaseName, first?._id ?? '', [
    { code: 'visit', date: '2026-03-01T10:00:00Z', path: '/spring', browser: 'Firefox' },
    { code: 'click', date: '2026-03-01T10:05:00Z' },
  ])
  await api.makeExport('Everybody', ['First Name', 'Last Name', 'Email'])
  return { account, person }
}
