import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { anImport } from '#test/imports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, type Sent, serveApi } from '#test/server.ts'
import { Storage } from '#test/storage.ts'
import { NewImportDialog } from './new-import-dialog.tsx'

// Problems of a header are solved in the dialog.

const imports = '/contact-service/v1/imports'
const onClose = vi.fn<() => void>()

beforeEach(() => {
  Storage.puts = []
  Storage.status = 200
  Storage.hangs = false
  onClose.mockReset()
  vi.stubGlobal('XMLHttpRequest', Storage)
  beSignedIn({ policies: ['contact-imports-create'] })
})

type Options = { headerLine?: number; nameColumns?: boolean }

const fit = { cells: 0, examples: [] }
const aColumn = (name: string) => ({
  name,
  type: 'string',
  isEmpty: false,
  field: null,
  suggestion: null,
  effect: 'added',
  loadedType: 'string',
  isReport: false,
  misfits: { number: fit, boolean: fit, date: fit, day: fit },
  readings: [],
  suggestedReading: null,
  isAmbiguous: false,
})

const lines = [
  { line: 1, cells: ['Donors of spring', ''] },
  { line: 3, cells: ['Phone', 'Phone', ''] },
  { line: 4, cells: ['1', '2', ''] },
]
const twice = 'The header names "Phone" twice: columns 1 and 2.'

/** The portal's preview of a file with a title, a duplicate name and a blank column. */
function preview({ body }: Sent) {
  const { headerLine, nameColumns = false } = body as Options
  const isFound = headerLine === 3 && nameColumns
  return answer({
    columns: isFound ? [aColumn('Phone'), aColumn('Phone (2)')] : [],
    rows: isFound ? [['1', '2']] : [],
    sampledRows: 1,
    isWhole: true,
    setAsideRows: 0,
    setAside: [],
    sheets: [],
    sheet: null,
    hiddenRows: 0,
    errorCells: 0,
    emptyRows: 0,
    remembered: null,
    header: {
      line: headerLine ?? 1,
      lines,
      likelyLine: headerLine ? null : 3,
      unnamed: headerLine ? [{ column: 2, name: 'Phone', problem: 'repeated', of: 1, becomes: 'Phone (2)' }] : [],
      leftOut: isFound ? [3] : [],
      refusal: isFound ? null : headerLine ? twice : 'None of the 2 rows can be loaded.',
    },
  })
}

async function openDialog() {
  const latest = anImport({ generatePURL: false, purlColumns: [], dedupColumns: [] })
  const sent = serveApi({
    [`GET ${imports}`]: answer([latest]),
    [`POST ${imports}`]: answer(anImport(), 201),
    [`POST ${imports}/preview`]: preview,
    'GET /contact-service/v1/uploads/leads.csv': answer({ url: '/api/files/1/uploads/x?signature=y' }),
    'GET /contact-service/v1/fields': answer([{ name: 'Email', type: 'string', isIndexed: true }]),
  })
  const rendered = renderApp(<NewImportDialog shown={[latest]} onClose={onClose} />)
  await screen.findByRole('textbox', { name: 'Import Name' })
  return { sent, ...rendered }
}

async function chooseFile(text: string): Promise<void> {
  const input = [...document.querySelectorAll<HTMLInputElement>('input[type="file"]')].at(-1)
  if (!input) throw new Error('there is no choice of files')
  Object.defineProperty(input, 'files', { value: [new File([text], 'leads.csv')], configurable: true })
  input.dispatchEvent(new Event('change', { bubbles: true }))
  await screen.findByText('leads.csv')
}

const bodyOf = (sent: Sent[], call: string): unknown => sent.findLast((one) => one.call === call)?.body

test('the header line is chosen and columns are named with one click each', async () => {
  const { user, sent } = await openDialog()
  await chooseFile('Donors of spring,\n\nPhone,Phone,\n1,2,\n')
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await user.click(screen.getByRole('tab', { name: 'Preview' }))
  expect(await screen.findByText('None of the 2 rows can be loaded.')).toBeVisible()
  expect(screen.getByText('The header is on line 1 of the file. Line 3 looks more like it.')).toBeVisible()
  const table = within(screen.getByRole('table', { name: 'First lines of the file' }))
  expect(table.getByRole('row', { name: /^3 Phone · Phone/ })).toBeVisible()
  await user.click(table.getByRole('button', { name: 'Use line 3 as header' }))
  expect(await screen.findByText(twice)).toBeVisible()
  expect(screen.getByText('Column 2: Phone → Phone (2)')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Use these names' }))
  expect(await screen.findByRole('combobox', { name: 'Import Phone (2) as' })).toHaveValue('Phone (2)')
  expect(screen.getByText(/^Column 3 has no name and no values, and is left out\./)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(bodyOf(sent, `POST ${imports}`)).toMatchObject({ headerLine: 3, nameColumns: true })
})

test('names can be reset, and another file starts over', async () => {
  const { user, sent } = await openDialog()
  await chooseFile('Donors of spring,\n\nPhone,Phone,\n1,2,\n')
  await user.click(screen.getByRole('tab', { name: 'Preview' }))
  await user.click(await screen.findByRole('button', { name: 'Use line 3' }))
  await user.click(await screen.findByRole('button', { name: 'Use these names' }))
  await user.click(await screen.findByRole('button', { name: 'Do not use these names' }))
  expect(await screen.findByText(twice)).toBeVisible()
  await user.click(screen.getByRole('tab', { name: /Main Info/ }))
  await chooseFile('Email\na@x\n')
  await user.click(screen.getByRole('tab', { name: 'Preview' }))
  await waitFor(() => expect(bodyOf(sent, `POST ${imports}/preview`)).not.toHaveProperty('headerLine'))
})

test('an unclear header has to be resolved in the preview before the import', async () => {
  const { user, sent } = await openDialog()
  await chooseFile('Phone,Phone\n1,2\n')
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByRole('table', { name: 'First lines of the file' })).toBeVisible()
  expect(screen.getByRole('tab', { name: /Preview/ })).toHaveAttribute('aria-selected', 'true')
  expect(bodyOf(sent, `POST ${imports}`)).toBeUndefined()
})

test('for a file of events the form checks the header, and then uses the new column names', async () => {
  const { user, sent } = await openDialog()
  await user.click(screen.getByText('Events'))
  await screen.findByRole('combobox', { name: 'Contact Field' })
  await chooseFile('Donors of spring,\n\nPhone,Phone,\n1,2,\n')
  await user.click(screen.getByRole('button', { name: 'Check the header' }))
  expect(await screen.findByText('None of the 2 rows can be loaded.')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Use line 3' }))
  await user.click(await screen.findByRole('button', { name: 'Use these names' }))
  await user.clear(await screen.findByRole('combobox', { name: 'Field for Phone' }))
  await user.type(screen.getByRole('combobox', { name: 'Field for Phone' }), 'event_code')
  await user.clear(screen.getByRole('combobox', { name: 'Field for Phone (2)' }))
  await user.type(screen.getByRole('combobox', { name: 'Field for Phone (2)' }), 'event_date')
  await user.type(screen.getByRole('combobox', { name: 'Key Column' }), 'Email')
  await user.type(screen.getByRole('combobox', { name: 'Contact Field' }), 'Email')
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn calls')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(bodyOf(sent, `POST ${imports}`)).toMatchObject({
    kind: 'events',
    headerLine: 3,
    nameColumns: true,
    columnMapping: { Phone: 'event_code', 'Phone (2)': 'event_date' },
  })
})
