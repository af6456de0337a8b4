import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { manyFiles, packed, sheetRows, sourceFile, workbookOf } from '#test/resources/workbooks.ts'
import { readFileHeader } from '../import-file-columns.ts'
import { ReadEnough } from '../reading/reading-meter.ts'
import type { SourceFile } from '../reading/source-file.ts'
import { openSourceText } from '../reading/source-text.ts'
import { createRequestReading } from './request-reading.ts'

const mebibyte = 1024 * 1024
const limits = {
  atOnce: 3,
  ofAccount: 2,
  waiting: 2,
  waitMs: 10_000,
  mostMs: 60_000,
  bytes: mebibyte,
  cpuMs: 60_000,
}
const here = () => new AbortController().signal
const at = (file: SourceFile) => async () => file
const readHeader = (file: SourceFile) =>
  readFileHeader(file, {
    delimiter: 'comma',
    takesGuardsOff: false,
    sheet: null,
    headerLine: null,
    nameColumns: false,
  })

const blanks = ' \n'.repeat(mebibyte)
const sheet = sheetRows([['A'], [1]])
const farText = '<row r="1"><c r="A1" t="s"><v>2000000000</v></c></row>'

const files: [kind: string, name: string, make: () => Buffer | Promise<Buffer>][] = [
  ['blank lines', 'a.csv', () => Buffer.from(blanks)],
  ['blank lines, packed', 'a.csv.gz', () => gzipSync(blanks)],
  ['blank lines in a zip file', 'a.zip', () => packed({ 'a.csv': blanks })],
  ['a sheet of empty rows', 'a.xlsx', () => workbookOf({ sheets: { S: '<row/>'.repeat(mebibyte / 4) } })],
  ['rows of one long text', 'a.xlsx', () => longTexts(200)],
  ['a far text', 'a.xlsx', () => workbookOf({ sheets: { S: farText }, sharedStrings: '<si/>'.repeat(mebibyte) })],
  ['styles', 'a.xlsx', () => withPart('xl/styles.xml', `<s>${'<xf/>'.repeat(mebibyte)}</s>`)],
  ['a list of sheets', 'a.xlsx', () => withPart('xl/workbook.xml', `<s>${'<xf/>'.repeat(mebibyte)}</s>`)],
  ['links between parts', 'a.xlsx', () => withPart('_rels/.rels', `<s>${'<xf/>'.repeat(mebibyte)}</s>`)],
  ['names of files', 'a.zip', () => manyFiles(10_000)],
]

const withPart = (path: string, xml: string) => workbookOf({ sheets: { S: sheet }, others: { [path]: xml } })

function longTexts(rows: number): Promise<Buffer> {
  const cells = '<c t="s"><v>0</v></c>'.repeat(20)
  const all = Array.from({ length: rows }, () => `<row>${cells}</row>`).join('')
  return workbookOf({ sheets: { S: all }, sharedStrings: `<si><t>${'x'.repeat(30_000)}</t></si>` })
}

/** Reads a whole file. */
async function drain(file: SourceFile): Promise<void> {
  const text = openSourceText(file, { delimiter: ',', sheet: null })
  while (!(await text.next()).done);
}

describe('a request that reads a file', () => {
  test.each(files)('stops at its byte limit: %s', async (_kind, name, make) => {
    const opened: Readable[] = []
    const file = sourceFile(await make(), { name, opened })
    const read = createRequestReading(limits)(at(file), here(), drain)
    await expect(read).rejects.toThrow(ReadEnough)
    await expect(read).rejects.toThrow(
      /^1\.[0-3] MB of this file, unpacked, have been read without a row to show\. Delete/,
    )
    expect(opened.filter((stream) => !stream.destroyed)).toEqual([])
    expect((await readdir(tmpdir())).filter((each) => each.startsWith('portico-workbook-'))).toEqual([])
  })

  test('stops at its limit of processor time', async () => {
    const read = createRequestReading({ ...limits, bytes: Infinity, cpuMs: 30 })
    await expect(
      read(at(sourceFile(gzipSync(blanks.repeat(9)), { name: 'a.csv.gz' })), here(), readHeader),
    ).rejects.toThrow(ReadEnough)
  })

  test.each(files)('ends when the caller disconnects: %s', async (_kind, name, make) => {
    const opened: Readable[] = []
    const gone = new AbortController()
    const file = sourceFile(await make(), { name, opened })
    const read = createRequestReading({ ...limits, bytes: Infinity })(at(file), gone.signal, async (metered) => {
      setImmediate(() => gone.abort(new Error('gone')))
      for (;;) await drain(metered).catch(() => gone.signal.throwIfAborted())
    })
    await expect(read).rejects.toThrow('gone')
    expect(opened.filter((stream) => !stream.destroyed)).toEqual([])
  })

  test('ends when the storage stalls', async () => {
    const stuck = new Readable({ read() {} })
    const file = { ...sourceFile(Buffer.from('a,b')), stream: async () => stuck }
    const read = createRequestReading({ ...limits, mostMs: 50 })
    await expect(read(at(file), here(), readHeader)).rejects.toMatchObject({ code: 'unavailable' })
    expect(stuck.destroyed).toBe(true)
  })

  test('waits a limited time for its turn', async () => {
    const read = createRequestReading({ ...limits, waitMs: 50 })
    const file = sourceFile(Buffer.from('a,b'))
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = read(at(file), here(), () => promise)
    const others = [1, 2].map(() => read(at(file), here(), async () => 'read'))
    await expect(read(at(file), here(), async () => 'read')).rejects.toMatchObject({ code: 'too_many_requests' })
    for (const other of others) {
      await expect(other).rejects.toMatchObject({
        code: 'too_many_requests',
        message: expect.stringContaining('Wait') as string,
      })
    }
    const next = read(at(file), here(), async () => 'next')
    resolve()
    await first
    expect(await next).toBe('next')
  })
})
