import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { contactsOf, ended, importFile, submit, withPurl } from '#test/resources/imports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Two at once: an edit during another edit, an import, or a delete.

let portal: TestPortal
let ann: Member
let ben: Member
/** Holds locks in place of another writer. */
let writer: pg.Client

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  writer = new pg.Client({ connectionString: portal.parts.database.url })
  await writer.connect()
})
afterAll(async () => {
  await writer.end()
  await portal.close()
})
beforeEach(async () => {
  ann = await portal.member(await portal.account())
  ben = await portal.member(ann.account)
})

const offers = '/contact-service/v1/offers'
const edit = (by: Member, id: string, field: string, from: string | null, to: string | null): Promise<Answer> =>
  by.put(`${offers}/${id}`, { changes: { [field]: { from, to } } })
const codeOf = (answer: Answer) =>
  answer.status < 300 ? answer.status : answer.json<{ error: { code: string } }>().error.code
type Conflict = { error: { details: [{ current: string }] } }
const schema = () => `account_${ann.account}`
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).toSorted((one, other) => one - other)

async function holding<T>(statement: string, work: () => Promise<T>): Promise<T> {
  await writer.query('BEGIN')
  try {
    await writer.query(statement)
    return await work()
  } finally {
    await writer.query('ROLLBACK')
  }
}

describe('conflicting edits', () => {
  test('of one value: the second is refused with the current value, its author and the time', async () => {
    const [id = ''] = await addContacts(portal.parts.database, ann.account, { City: 'string' }, [{ City: 'Bern' }])
    expect(codeOf(await edit(ann, id, 'City', 'Bern', 'Rome'))).toBe(200)
    expect(await edit(ben, id, 'City', 'Bern', 'Oslo')).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'value_changed',
          details: [
            {
              field: 'City',
              expected: 'Bern',
              current: 'Rome',
              changedBy: ann.email,
              changedAt: expect.stringMatching(/Z$/) as string,
            },
          ],
        },
      },
    })
    expect(codeOf(await edit(ben, id, 'City', 'Rome', 'Oslo'))).toBe(200)
  })

  test('of one value at the same time: one wins, and the others save nothing', async () => {
    const [id = ''] = await addContacts(portal.parts.database, ann.account, { City: 'string' }, [{ City: 'Bern' }])
    const answers = await Promise.all(['Rome', 'Oslo', 'Paris'].map((to) => edit(ann, id, 'City', 'Bern', to)))
    expect(statuses(answers)).toEqual([200, 409, 409])
    for (const answer of answers.filter(({ status }) => status === 409)) {
      expect(['value_changed', 'contact_busy']).toContain(codeOf(answer))
    }
    expect((await ann.get(`${offers}/${id}/changes`)).body).toHaveLength(1)
  })

  test('of several contacts to one key at the same time: one gets it', async () => {
    await importFile(portal, ann, 'First,Last,Email\nA,B,a@x\nC,D,b@x\nE,F,c@x\n', withPurl)
    const all = await contactsOf(ann)
    const answers = await Promise.all(all.map(({ _id, Email }) => edit(ann, _id, 'Email', String(Email), 'same@x')))
    expect(statuses(answers)).toEqual([200, 409, 409])
    const added = await Promise.all(
      [1, 2, 3].map(() => ann.post(offers, { values: { First: 'New', Last: 'One', Email: 'new@x' } })),
    )
    expect(statuses(added)).toEqual([201, 409, 409])
  })

  test('that add contacts with one PURL base at the same time: each gets its own number', async () => {
    await importFile(portal, ann, 'First,Last,Email\nA,B,a@x\n', withPurl)
    const made = await Promise.all(
      [1, 2, 3, 4].map((at) => ann.post(offers, { values: { First: 'A', Last: 'B', Email: `n${at}@x` } })),
    )
    expect(statuses(made)).toEqual([201, 201, 201, 201])
    const purls = (await contactsOf(ann)).map(({ purl }) => purl)
    expect(new Set(purls)).toEqual(new Set(['ab', 'ab2', 'ab3', 'ab4', 'ab5']))
  })
})

describe('an edit alongside an import', () => {
  const first = 'First,Last,Email\nAda,King,a@x\nBob,Ray,b@x\n'

  test('of a value that the import has changed is refused, naming the import', async () => {
    await importFile(portal, ann, first, withPurl)
    const second = await importFile(portal, ann, 'First,Last,Email\nEve,King,a@x\n', withPurl)
    const [ada] = await contactsOf(ann)
    expect(await edit(ann, ada!._id, 'First', 'Ada', 'Zoe')).toMatchObject({
      status: 409,
      body: { error: { details: [{ current: 'Eve', changedBy: `Import "${second.name}"` }] } },
    })
  })

  test('of a row locked by the import is refused at once', async () => {
    await importFile(portal, ann, first, withPurl)
    const [ada, bob] = await contactsOf(ann)
    await holding(`UPDATE ${schema()}.contacts SET c1 = 'Held' WHERE id = ${ada!._id}`, async () => {
      const began = performance.now()
      expect(codeOf(await edit(ann, ada!._id, 'Last', 'King', 'X'))).toBe('contact_busy')
      expect(performance.now() - began).toBeLessThan(5000)
      expect(codeOf(await edit(ann, bob!._id, 'Last', 'Ray', 'X'))).toBe(200)
    })
    // Only its keys, which an import writes in any order relative to the contacts.
    await holding(`UPDATE ${schema()}.contact_keys SET latitude = 1 WHERE id = ${ada!._id}`, async () => {
      expect(codeOf(await edit(ann, ada!._id, 'Email', 'a@x', 'z@x'))).toBe('contact_busy')
    })
    expect(codeOf(await edit(ann, ada!._id, 'Email', 'a@x', 'z@x'))).toBe(200)
  })

  test('is refused for keys and new contacts until the import ends, but not for other fields', async () => {
    await importFile(portal, ann, first, withPurl)
    const [ada] = await contactsOf(ann)
    const query = (text: string) => portal.parts.database.pool.query(text)
    const setStatus = (status: string) =>
      query(`INSERT INTO ${schema()}.imports SELECT (jsonb_populate_record(i, jsonb_build_object('id', 99, 'name', 'Running',
        'name_key', 'running', 'status', '${status}'))).* FROM ${schema()}.imports AS i WHERE id = 1
        ON CONFLICT (id) DO UPDATE SET status = excluded.status`)
    for (const status of ['processing', 'recovery']) {
      await setStatus(status)
      expect(codeOf(await edit(ann, ada!._id, 'Email', 'a@x', 'z@x'))).toBe('import_running')
      expect(codeOf(await ann.post(offers, { values: { First: 'New' } }))).toBe('import_running')
    }
    expect(codeOf(await edit(ann, ada!._id, 'Last', 'King', 'Queen'))).toBe(200)
    // An import that is still waiting begins after the edit.
    await setStatus('waiting')
    expect(codeOf(await edit(ann, ada!._id, 'Email', 'a@x', 'z@x'))).toBe(200)
    await setStatus('completed')
    // Contacts of an import that is still running may be merged with others of its rows.
    await query(`UPDATE ${schema()}.imports SET status = 'processing' WHERE id = 1`)
    expect(codeOf(await edit(ann, ada!._id, 'Last', 'Queen', 'X'))).toBe('contact_busy')
  })

  test('of contacts that imports write, hundreds of times, loses no key and interrupts no import', async () => {
    const people = (note: string) =>
      `First,Last,Email,Note\n${Array.from({ length: 3000 }, (_, at) => `F${at},L,p${at}@x,${note}`).join('\n')}\n`
    await importFile(portal, ann, people('one'), withPurl)
    const [target] = await contactsOf(ann)
    let last = String(target!['Last'])
    const codes: unknown[] = []
    for (const note of ['two', 'three']) {
      const { _id: importId } = await submit(portal, ann, people(note), withPurl)
      const running = ended(ann, importId)
      let isOver = false
      void running.then(() => (isOver = true))
      for (let at = 0; !isOver && at < 500; at++) {
        const to = `L ${note} ${at}`
        const answer = await edit(ann, target!._id, 'Last', last, to)
        const code = codeOf(answer)
        codes.push(code)
        if (code === 200) last = to
        if (code === 'value_changed') last = answer.json<Conflict>().error.details[0].current
      }
      expect(await running).toMatchObject({ status: 'completed', recoveryCount: 0, updatedRecords: 3000 })
    }
    expect(codes).toContain(200)
    expect(codes.filter((code) => ![200, 'value_changed', 'contact_busy'].includes(code as string))).toEqual([])
    expect((await portal.parts.database.pool.query(`SELECT FROM ${schema()}.contact_keys`)).rowCount).toBe(3000)
  }, 120_000)
})

describe('an edit alongside a delete', () => {
  test('happens before it or finds nothing: a deleted contact leaves no history', async () => {
    const people = Array.from({ length: 20 }, (_, at) => ({ City: 'Bern', Name: `P${at}` }))
    const types = { City: 'string', Name: 'string' } as const
    const ids = await addContacts(portal.parts.database, ann.account, types, people)
    const filter = [{ $match: { City: 'Bern' } }]
    const [deleted, ...edits] = await Promise.all([
      ann.delete(offers, { filter, deletedRecords: 20 }),
      ...ids.map((id, at) => edit(ben, id, 'Name', `P${at}`, 'X')),
    ])
    expect(deleted).toMatchObject({ status: 200, body: { deletedCount: 20 } })
    for (const answer of edits) expect([200, 'not_found', 'contact_busy']).toContain(codeOf(answer))
    expect(codeOf(await edit(ben, ids[0]!, 'Name', 'X', 'Y'))).toBe('not_found')
    expect((await portal.parts.database.pool.query(`SELECT FROM ${schema()}.contact_changes`)).rowCount).toBe(0)
    expect((await portal.parts.database.pool.query(`SELECT FROM ${schema()}.contacts`)).rowCount).toBe(0)
  })

  test('is refused while the delete locks the contact', async () => {
    const [id = ''] = await addContacts(portal.parts.database, ann.account, { City: 'string' }, [{ City: 'Bern' }])
    await holding(`SELECT FROM ${schema()}.contacts WHERE id = ${id} FOR UPDATE`, async () => {
      expect(codeOf(await edit(ann, id, 'City', 'Bern', 'Rome'))).toBe('contact_busy')
    })
    expect(codeOf(await edit(ann, id, 'City', 'Bern', 'Rome'))).toBe(200)
  })
})

test('while the word index is being built, an edit is saved and marks the index as outdated', async () => {
  const [id = ''] = await addContacts(portal.parts.database, ann.account, { City: 'string' }, [{ City: 'Bern' }])
  await portal.parts.database.pool.query(
    `INSERT INTO ${schema()}.contact_word_index (id, requested_at, built_at, words_version, import_id, text_fields, last_field)
     VALUES (1, now(), now(), 1, 1, '{1}', 1)`,
  )
  await holding(`LOCK TABLE ${schema()}.contact_words IN ACCESS EXCLUSIVE MODE`, async () => {
    expect(codeOf(await edit(ann, id, 'City', 'Bern', 'Rome'))).toBe(200)
  })
  const missed = async () =>
    (
      await portal.parts.database.pool.query(
        `SELECT missed_at IS NOT NULL AS missed FROM ${schema()}.contact_word_index`,
      )
    ).rows
  expect(await missed()).toEqual([{ missed: true }])
  await portal.parts.database.pool.query(`UPDATE ${schema()}.contact_word_index SET missed_at = NULL, progress = 0.5`)
  expect(codeOf(await edit(ann, id, 'City', 'Rome', 'Oslo'))).toBe(200)
  expect(await missed()).toEqual([{ missed: true }])
})
