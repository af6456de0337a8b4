import { readdir, readlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { ImportPreview } from '@portico/contract/import-preview'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { anImport, upload } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { manyFiles, packed, sheetRows, workbookOf } from '#test/resources/workbooks.ts'

// Files that take long to read. Previews are requested over real connections, since only these can be closed early.

let portal: TestPortal
let address: string
let member: Member
let other: Member

beforeAll(async () => {
  portal = await startPortal()
  address = await portal.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => portal.close())
beforeEach(async () => {
  member = await portal.member(await portal.account())
  other = await portal.member(await portal.account())
})

const megabyte = 1_000_000
const blanks = Buffer.alloc(60 * megabyte, ' \n')
const text = (index: number) => `<c r="A1" t="s"><v>${index}</v></c>`
const textsOf = (megabytes: number) => '<si><t>text</t></si>'.repeat((megabytes * megabyte) / 20)

const files: [kind: string, name: string, make: () => Buffer | Promise<Buffer>][] = [
  ['blank lines', 'blanks.csv.gz', () => gzipSync(blanks, { level: 1 })],
  ['blank lines in a zip file', 'blanks.csv.zip', () => packed({ 'blanks.csv': blanks })],
  [
    'blank lines after a header',
    'few.csv.gz',
    () => gzipSync(Buffer.concat([Buffer.from('a,b\n'), blanks]), { level: 1 }),
  ],
  [
    'a text of a large workbook that is not there',
    'texts.xlsx',
    () => workbookOf({ sheets: { S: `<row r="1">${text(2_000_000_000)}</row>` }, sharedStrings: textsOf(60) }),
  ],
  [
    'many styles',
    'styles.xlsx',
    () =>
      workbookOf({
        sheets: { S: sheetRows([['A'], [1]]) },
        others: { 'xl/styles.xml': `<s>${'<numFmt numFmtId="7" formatCode="0"/>'.repeat(1_600_000)}</s>` },
      }),
  ],
  ['many files in a zip file', 'files.zip', async () => manyFiles(19_000)],
]

type Reply = { status: number; body: string }

function ask(by: Member, filePath: string, signal?: AbortSignal, to = address): Promise<Reply | null> {
  return fetch(`${to}/api/contact-service/v1/imports/preview`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ filePath, fileDelimiter: 'comma', typeCasting: true }),
    ...(signal && { signal }),
  }).then(
    async (reply) => ({ status: reply.status, body: await reply.text() }),
    () => null,
  )
}

/** Returns the longest time in milliseconds that a request of another account takes until the work has ended. */
async function longestWait(work: Promise<unknown>): Promise<number> {
  let isOver = false
  const ends = work.finally(() => (isOver = true))
  let longest = 0
  while (!isOver) {
    const before = performance.now()
    const reply = await fetch(`${address}/api/identity/v1/profile`, {
      headers: { authorization: `Bearer ${other.token}` },
    })
    expect(reply.status).toBe(200)
    longest = Math.max(longest, performance.now() - before)
    await pause(20)
  }
  await ends
  return longest
}

/** The uploads and temporary files that this process has open. */
async function openFiles(of = portal): Promise<string[]> {
  const open = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  )
  return open.filter((path) => path.startsWith(of.config.dataDir) || path.includes('portico-workbook-'))
}

const temporaryFolders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('portico-workbook-'))

/** Milliseconds, generous for a busy machine. Without turns and limits these take half a minute. */
const soon = 3000

describe.skipIf(process.platform !== 'linux')('previews of files that are slow to read', () => {
  test.each(files)(
    'do not block others, and end when their callers disconnect: %s',
    { timeout: 60_000 },
    async (_kind, name, make) => {
      await upload(portal, member, name, await make())
      const gone = new AbortController()
      const asked = Array.from({ length: 50 }, () => ask(member, name, gone.signal))
      const waited = longestWait(pause(2000))
      expect(await waited).toBeLessThan(soon)
      gone.abort()
      const replies = await Promise.all(asked)
      expect(replies.filter((reply) => reply?.status === 429).length).toBeGreaterThan(30)
      await vi.waitFor(async () => expect(await openFiles()).toEqual([]), { timeout: soon })
      // The preview slots are free again.
      await upload(portal, member, 'small.csv', 'a,b\n1,2\n')
      expect(await ask(member, 'small.csv')).toMatchObject({ status: 200 })
      expect(await temporaryFolders()).toEqual([])
    },
  )

  test(
    'report what was read and what helps, while their imports are accepted and read the whole file',
    { timeout: 60_000 },
    async () => {
      await upload(portal, member, 'blanks.csv.gz', gzipSync(blanks, { level: 1 }))
      const { error } = JSON.parse((await ask(member, 'blanks.csv.gz'))?.body ?? '') as { error: { details: object[] } }
      const message = expect.stringMatching(
        /^[\d.]+ MB of this file, unpacked, .* save the table alone as CSV/,
      ) as string
      expect(error).toMatchObject({ code: 'invalid_input', details: [{ field: 'filePath', message }] })
      const answer = await member.post('/contact-service/v1/imports', anImport({ filePath: 'blanks.csv.gz' }))
      expect(answer).toMatchObject({ status: 201 })
    },
  )

  test('end when the server stops', { timeout: 60_000 }, async () => {
    const stopping = await startPortal()
    try {
      const to = await stopping.app.listen({ host: '127.0.0.1', port: 0 })
      const by = await stopping.member(await stopping.account())
      await upload(stopping, by, 'blanks.csv.gz', gzipSync(blanks, { level: 1 }))
      const asked = ask(by, 'blanks.csv.gz', undefined, to)
      await vi.waitFor(async () => expect(await openFiles(stopping)).not.toEqual([]), { timeout: soon, interval: 1 })
      await stopping.app.close()
      await asked
      await vi.waitFor(async () => expect(await openFiles(stopping)).toEqual([]), { timeout: soon })
    } finally {
      await stopping.close()
    }
  })
})

async function preview(name: string, content: Buffer | string): Promise<ImportPreview> {
  await upload(portal, member, name, content)
  const reply = await ask(member, name)
  expect(reply).toMatchObject({ status: 200 })
  return JSON.parse(reply?.body ?? '') as ImportPreview
}

describe('a preview', () => {
  test('supports many long titles after thousands of blank lines', async () => {
    const names = Array.from({ length: 900 }, (_, at) => `${'A long title '.repeat(12)}${at}`)
    const file = `${' ,\n'.repeat(5000)}${names.join(',')}\n${names.map((_, at) => at).join(',')}\n`
    for (const [name, content] of [
      ['long.csv', Buffer.from(file)],
      ['long.csv.gz', gzipSync(file)],
    ] as const) {
      expect(await preview(name, content)).toMatchObject({ isWhole: true, sampledRows: 1 })
    }
  })

  test('shows the rows read so far when endless blank lines follow', { timeout: 60_000 }, async () => {
    const file = gzipSync(Buffer.concat([Buffer.from('a,b\n1,x\n'), blanks]), { level: 1 })
    expect(await preview('few.csv.gz', file)).toMatchObject({ rows: [['1', 'x']], isWhole: false, sampledRows: 1 })
  })

  test('shows fewer rows when they are large', { timeout: 60_000 }, async () => {
    const file = gzipSync(`a,b\n${`x,${'y'.repeat(megabyte)}\n`.repeat(30)}`)
    const { rows, sampledRows } = await preview('large.csv.gz', file)
    expect([rows.length, sampledRows]).toEqual([5, 30])
  })

  test('refuses a header with millions of columns before splitting it into names', async () => {
    await upload(portal, member, 'commas.csv.gz', gzipSync(`a${',a'.repeat(8 * megabyte)}\n`))
    const waited = performance.now()
    expect(await ask(member, 'commas.csv.gz')).toMatchObject({
      status: 400,
      body: expect.stringContaining('The header has 8,000,001 columns') as string,
    })
    expect(performance.now() - waited).toBeLessThan(soon)
  })

  test('waits for the previous one of the same person, but not for those of others', { timeout: 60_000 }, async () => {
    await upload(portal, member, 'blanks.csv.gz', gzipSync(blanks.subarray(0, 40 * megabyte), { level: 1 }))
    await upload(portal, other, 'small.csv', 'a,b\n1,2\n')
    await upload(portal, member, 'small.csv', 'a,b\n1,2\n')
    const ended: string[] = []
    const noted = (by: Member, file: string) => ask(by, file).then((reply) => ended.push(`${file} ${reply?.status}`))
    const first = noted(member, 'blanks.csv.gz')
    await vi.waitFor(async () => expect(await openFiles()).not.toEqual([]), { timeout: soon, interval: 1 })
    const second = noted(member, 'small.csv')
    expect(await ask(other, 'small.csv')).toMatchObject({ status: 200 })
    expect(ended).toEqual([])
    await Promise.all([first, second])
    expect(ended).toEqual([expect.stringMatching('blanks'), 'small.csv 200'])
  })
})
