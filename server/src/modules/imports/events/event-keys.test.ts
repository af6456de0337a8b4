import type { Import, NewEventImport } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contactsOf, ended, importFile, submitEvents } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  member = await portal.member(await portal.account())
})

/** Contacts with PURLs, identified by email. */
async function withPeople(file = 'Name,Email\nAda,ada@x.org\nAlan,alan@x.org\n'): Promise<void> {
  await importFile(portal, member, file, { generatePURL: true, purlColumns: ['Name'], dedupColumns: ['Email'] })
}

const importEvents = async (file: string, changes: Partial<NewEventImport> = {}): Promise<Import> =>
  ended(member, (await submitEvents(portal, member, file, changes))._id)

async function eventsOf(email: string): Promise<unknown[]> {
  const contact = (await contactsOf(member)).find((one) => one['Email'] === email)
  return (await member.get(`/contact-service/v1/offers/${contact?._id}`)).json<{ events: unknown[] }>().events
}

async function setAside({ _id }: Import): Promise<string[]> {
  const { url } = (await member.get(`/contact-service/v1/imports/${_id}/set-aside`)).json<{ url: string }>()
  return (await portal.app.inject({ url })).body.replace('\uFEFF', '').trimEnd().split('\r\n')
}

describe('a key', () => {
  const table = (keys: readonly string[]) =>
    `Email,event_code,event_date\n${keys.map((key) => `${key},open,2026-10-31 09:15`).join('\n')}\n`

  test('finds its contact as dedup does: case-insensitive, trimmed and composed', async () => {
    await withPeople('Name,Email\nAda,ada@x.org\nZo\u00e9, ZO\u00c9@x.org\u3000\n')
    const ada = ['ADA@X.ORG', ' ada@x.org', '\u00a0Ada@x.org\u3000', '"\tada@x.org\r\n"', '\u200bada@x.org\ufeff']
    const zoe = ['zo\u00e9@x.org', 'Zoe\u0301@X.org', 'ZO\u00c9@x.org\u00a0']
    const done = await importEvents(table([...ada, 'nobody@x.org', ...zoe]))
    expect(done).toMatchObject({ totalRecords: 8, createdRecords: 8, setAsideRecords: 1 })
    expect(await eventsOf('ada@x.org')).toHaveLength(ada.length)
    expect(await eventsOf(' ZO\u00c9@x.org\u3000')).toHaveLength(zoe.length)
    expect((await setAside(done))[1]).toMatch(/^8,No such contact\./)
  })

  test('prefers the contact that matches exactly, and is ambiguous between several others', async () => {
    await importFile(portal, member, 'Name,Email\nAda,ada@x.org\nAda,ADA@x.org\nBob,bob@x.org\n', {})
    const done = await importEvents(table(['ada@x.org', 'ADA@x.org', 'Ada@x.org', 'BOB@x.org']))
    expect(done).toMatchObject({ createdRecords: 3, setAsideRecords: 1 })
    expect(await eventsOf('ada@x.org')).toHaveLength(1)
    expect(await eventsOf('ADA@x.org')).toHaveLength(1)
    expect((await setAside(done))[1]).toMatch(/^4,Ambiguous: 2 contacts have this key\./)
  })

  test('may be a PURL in any letter case', async () => {
    await withPeople()
    const done = await importEvents(table(['ADA', '\u00a0Alan ', 'nobody']), { keyField: 'purl' })
    expect(done).toMatchObject({ createdRecords: 2, setAsideRecords: 1 })
  })

  test('of only white space counts as missing, as do such an event code and date', async () => {
    await withPeople()
    const rows = ['\u00a0,open,2026-10-31,x', 'ada@x.org,"\u3000\n",2026-10-31,x', 'ada@x.org,open,\u200b,x']
    const done = await importEvents(
      `Email,event_code,event_date,event_path\n${rows.join('\n')}\nada@x.org,open,2026-10-31,x\n`,
    )
    expect(done).toMatchObject({ createdRecords: 1, setAsideRecords: 3, emptyRecords: 0 })
    const reasons = (await setAside(done)).slice(1).join('\n')
    expect(reasons).toContain('The key column ""Email"" is empty.')
    expect(reasons).toContain('event_code is missing.')
    expect(reasons).toContain('event_date is missing.')
  })

  test('is not required in empty rows, which are skipped and counted', async () => {
    await withPeople()
    const done = await importEvents(
      'sep=;\nEmail;event_code;event_date\n;;\nada@x.org;open;2026-10-31\n" ";\u00a0;\n;\n',
    )
    expect(done).toMatchObject({ totalRecords: 1, createdRecords: 1, setAsideRecords: 0, emptyRecords: 3 })
    expect(done).toMatchObject({ fileDelimiter: 'semicolon' })
  })
})
