import type { ImportPreview, RememberedHeader } from '@portico/contract/import-preview'
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { aPreview, aPreviewColumn, openStep, stepButton } from '#test/import-steps.ts'
import { anImport } from '#test/imports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, type Sent, serveApi } from '#test/server.ts'
import { Storage } from '#test/storage.ts'
import { NewImportDialog } from './new-import-dialog.tsx'

// Problems of a header are solved in the dialog.

const imports = '/contact-service/v1/imports'
const onClose = vi.fn<() => void>()

beforeEach(() => {
  Storage.install()
  onClose.mockReset()
  beSignedIn({ policies: ['contact-imports-create'] })
})

type Options = { headerLine?: number; nameColumns?: boolean }

const lines = [
  { line: 1, cells: ['Donors of spring', ''] },
  { line: 3, cells: ['Phone', 'Phone', ''] },
  { line: 4, cells: ['1', '2', ''] },
]
const twice = 'The header names "Phone" twice: columns 1 and 2.'

/** How the last import of such a file read its header, if the portal knows one. */
let remembered: RememberedHeader | null = null
beforeEach(() => {
  remembered = null
})

/** The portal's preview of a file with a title, a duplicate name and a blank column. */
function preview({ body }: Sent) {
  const { headerLine, nameColumns = false } = body as Options
  const isFound = headerLine === 3 && nameColumns
  return answer(
    aPreview({
      columns: isFound ? [aPreviewColumn({ name: 'Phone' }), aPreviewColumn({ name: 'Phone (2)' })] : [],
      rows: isFound ? [['1', '2']] : [],
      header: {
        line: headerLine ?? 1,
        lines,
        likelyLine: headerLine ? null : 3,
        unnamed: headerLine ? [{ column: 2, name: 'Phone', problem: 'repeated', of: 1, becomes: 'Phone (2)' }] : [],
        leftOut: isFound ? [3] : [],
        refusal: isFound ? null : headerLine ? twice : 'None of the 2 rows can be loaded.',
        remembered: headerLine || nameColumns ? null : remembered,
      },
    }),
  )
}

async function openDialog(previewed?: ImportPreview) {
  const latest = anImport({ generatePURL: false, purlColumns: [], dedupColumns: [] })
  const sent = serveApi({
    [`GET ${imports}`]: answer([latest]),
    [`POST ${imports}`]: answer(anImport(), 201),
    [`POST ${imports}/preview`]: previewed ? answer(previewed) : preview,
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
  await openStep(user, 'Match')
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

test('a wrong delimiter is the only thing to solve, until it is solved', async () => {
  const { user } = await openDialog()
  await chooseFile('Phone;Phone;\n1;2;\n')
  const delimiter = screen.getByRole('combobox', { name: 'File Delimiter' })
  await waitFor(() => expect(delimiter).toHaveValue('Semicolon'))
  await user.click(delimiter)
  await user.click(await screen.findByRole('option', { name: 'Comma' }))
  expect(screen.getByText('The file looks semicolon-separated.')).toBeVisible()
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await openStep(user, 'Match')
  expect(await screen.findByText('None of the 2 rows can be loaded.')).toBeVisible()
  expect(screen.queryByRole('table', { name: 'First lines of the file' })).not.toBeInTheDocument()
  expect(screen.queryByText(/looks more like it/)).not.toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: 'Use Semicolon' }))
  expect(await screen.findByRole('table', { name: 'First lines of the file' })).toBeVisible()
})

test('names can be reset, and another file starts over', async () => {
  const { user, sent } = await openDialog()
  await chooseFile('Donors of spring,\n\nPhone,Phone,\n1,2,\n')
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await openStep(user, 'Match')
  await user.click(await screen.findByRole('button', { name: 'Use line 3' }))
  await user.click(await screen.findByRole('button', { name: 'Use these names' }))
  await user.click(await screen.findByRole('button', { name: 'Do not use these names' }))
  expect(await screen.findByText(twice)).toBeVisible()
  await openStep(user, 'File')
  await chooseFile('Email\na@x\n')
  await openStep(user, 'Match')
  await waitFor(() => expect(bodyOf(sent, `POST ${imports}/preview`)).not.toHaveProperty('headerLine'))
})

test('the header line and names chosen for the last file with this header are used again', async () => {
  remembered = { name: 'Summer leads', headerLine: 3, nameColumns: true }
  const { user, sent } = await openDialog()
  await chooseFile('Donors of spring,\n\nPhone,Phone,\n1,2,\n')
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await openStep(user, 'Match')
  expect(await screen.findByRole('combobox', { name: 'Import Phone (2) as' })).toBeVisible()
  expect(screen.getByText("The header is on line 3 of the file. Read as for the import 'Summer leads'.")).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Do not use these names' }))
  expect(await screen.findByText(twice)).toBeVisible()
  expect(screen.queryByText(/Read as for the import/)).not.toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: 'Use these names' }))
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(bodyOf(sent, `POST ${imports}`)).toMatchObject({ headerLine: 3, nameColumns: true })
})

test('an unclear header has to be resolved in the preview before the import', async () => {
  const { user, sent } = await openDialog()
  await chooseFile('Phone,Phone\n1,2\n')
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByRole('table', { name: 'First lines of the file' })).toBeVisible()
  expect(stepButton('Match')).toHaveAttribute('aria-current', 'step')
  expect(bodyOf(sent, `POST ${imports}`)).toBeUndefined()
})

test('for a file of events the header is solved too, and its review shows the first events', async () => {
  const { user, sent } = await openDialog()
  await user.click(screen.getByText('Events'))
  await user.type(await screen.findByRole('textbox', { name: 'Import Name' }), 'Autumn calls')
  await chooseFile('Donors of spring,\n\nPhone,Phone,\n1,2,\n')
  await openStep(user, 'Match')
  expect(await screen.findByText('None of the 2 rows can be loaded.')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Use line 3' }))
  await user.click(await screen.findByRole('button', { name: 'Use these names' }))
  const note = await screen.findByText('Map a column to event_code and event_date.')
  expect(note.closest('[role]')).toHaveAttribute('role', 'note')
  await user.clear(await screen.findByRole('combobox', { name: 'Field for Phone' }))
  await user.type(screen.getByRole('combobox', { name: 'Field for Phone' }), 'event_code')
  await user.type(screen.getByRole('combobox', { name: 'Key Column' }), 'Email')
  await user.type(screen.getByRole('combobox', { name: 'Contact Field' }), 'Email')
  await user.click(screen.getByRole('button', { name: 'Next' }))
  expect(screen.getByText('Map a column to event_date.').closest('[role]')).toHaveAttribute('role', 'alert')
  await user.clear(screen.getByRole('combobox', { name: 'Field for Phone (2)' }))
  await user.type(screen.getByRole('combobox', { name: 'Field for Phone (2)' }), 'event_date')
  await openStep(user, 'Review')
  const rows = within(screen.getByRole('table', { name: 'Events to record' })).getAllByRole('row')
  expect(rows.map(({ textContent }) => textContent)).toEqual(['event_codeevent_date', '12'])
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(bodyOf(sent, `POST ${imports}`)).toMatchObject({
    kind: 'events',
    headerLine: 3,
    nameColumns: true,
    columnMapping: { Phone: 'event_code', 'Phone (2)': 'event_date' },
  })
})

test('for a file of events the choices of the last one with this header are used again', async () => {
  const { user } = await openDialog({
    ...aPreview(),
    header: { line: 1, lines, likelyLine: null, unnamed: [], leftOut: [], refusal: null, remembered: null },
    remembered: {
      name: 'Summer calls',
      keyColumn: 'Last',
      keyField: 'Email',
      columnMapping: { First: 'event_code', Email: null },
      onMismatchByField: {},
      columnTypes: {},
    },
  })
  await user.click(screen.getByText('Events'))
  await user.type(await screen.findByRole('textbox', { name: 'Import Name' }), 'Autumn calls')
  await chooseFile('First,Last,Email\n1,2,3\n')
  await openStep(user, 'Match')
  expect(await screen.findByText("Starts from the choices of the import 'Summer calls'.")).toBeVisible()
  expect(screen.getByRole('combobox', { name: 'Key Column' })).toHaveValue('Last')
  expect(screen.getByRole('combobox', { name: 'Contact Field' })).toHaveValue('Email')
  expect(screen.getByRole('combobox', { name: 'Field for First' })).toHaveValue('event_code')
  expect(screen.getByRole('combobox', { name: 'Field for Email' })).toHaveValue('')
})
