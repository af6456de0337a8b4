import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { openStep } from '#test/import-steps.ts'
import { anImport } from '#test/imports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, type Sent, serveApi } from '#test/server.ts'
import { Storage } from '#test/storage.ts'
import { NewImportDialog } from './new-import-dialog.tsx'

const imports = '/contact-service/v1/imports'
const link = { url: '/api/files/1/uploads/x?signature=y' }
const portal = (latest: unknown[], created: Parameters<typeof serveApi>[0][string] = answer(anImport(), 201)) => ({
  [`GET ${imports}`]: answer(latest),
  'GET /contact-service/v1/configuration': answer({ purlColumns: [], dedupColumns: [], notificationEmails: [] }),
  [`POST ${imports}`]: created,
  'GET /contact-service/v1/uploads/leads.csv': answer(link),
  'GET /contact-service/v1/fields': answer([{ name: 'Loyalty', type: 'number', isIndexed: false }]),
})

const leads = new File(['First,Last,Email\nAda,Lovelace,ada@example.com\n'], 'leads.csv', { type: 'text/csv' })
const onClose = vi.fn<() => void>()

beforeEach(() => {
  Storage.install()
  onClose.mockReset()
  beSignedIn({ policies: ['contact-imports-create'] })
})

async function openDialog(
  answers: Parameters<typeof serveApi>[0],
): Promise<{ sent: Sent[] } & ReturnType<typeof renderApp>> {
  const sent = serveApi(answers)
  const rendered = renderApp(<NewImportDialog shown={[anImport()]} onClose={onClose} />)
  await screen.findByRole('textbox', { name: 'Import Name' })
  return { sent, ...rendered }
}

const chooseFile = async (file = leads): Promise<void> => {
  const input = document.querySelector<HTMLInputElement>('input[type="file"]')
  if (!input) throw new Error('there is no choice of files')
  Object.defineProperty(input, 'files', { value: [file], configurable: true })
  input.dispatchEvent(new Event('change', { bubbles: true }))
  await screen.findByText(file.name)
}

const fit = { cells: 0, examples: [] }
const noMisfits = { number: fit, boolean: fit, date: fit, day: fit }

const emptyPreview = {
  rows: [['n/a']],
  sampledRows: 9,
  isWhole: true,
  setAsideRows: 0,
  sheets: [],
  sheet: null,
  hiddenRows: 0,
  errorCells: 0,
  emptyRows: 0,
  setAside: [],
  remembered: null,
}
const aColumn = {
  type: 'string',
  isEmpty: false,
  suggestion: null,
  loadedType: 'string',
  isReport: false,
  misfits: noMisfits,
  readings: [],
  suggestedReading: null,
  isAmbiguous: false,
}

test('misfits are shown before the import, with how they will be handled', async () => {
  const misfits = { ...noMisfits, number: { cells: 4, examples: ['n/a', '-', 'none'] } }
  const field = { name: 'Loyalty', type: 'number' }
  const preview = { ...emptyPreview, columns: [{ ...aColumn, name: 'Loyalty', field, effect: 'kept', misfits }] }
  const { user, sent } = await openDialog({
    ...portal([anImport({ generatePURL: false, purlColumns: [], dedupColumns: [] })]),
    'GET /contact-service/v1/fields': answer([{ name: 'Loyalty', type: 'number', isIndexed: false }]),
    [`POST ${imports}/preview`]: answer(preview),
  })
  await chooseFile(new File(['Loyalty\nn/a\n'], 'leads.csv'))
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await openStep(user, 'Match')
  expect(await screen.findByText('4 cells do not fit: n/a, -, none, …')).toBeVisible()
  expect(screen.getByText('4 cells of the whole file do not fit the type of the field Loyalty.')).toBeVisible()
  const choice = screen.getByRole('combobox', { name: 'Cells that do not fit Loyalty' })
  expect(
    within(choice)
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(['Leave these cells out', 'Set the rows aside', 'Make the field text'])
  expect(choice).toHaveValue('cell')
  await user.selectOptions(choice, 'Make the field text')
  expect(screen.getByText('from number to text')).toBeVisible()
  await user.selectOptions(choice, 'Set the rows aside')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  const body = sent.find(({ call }) => call === `POST ${imports}`)?.body
  expect(body).toMatchObject({ onMismatchByField: { Loyalty: 'row' } })
})

const keyless = () => portal([anImport({ generatePURL: false, purlColumns: [], dedupColumns: [] })])
const number = (decimal: string, cells: number, after: string) => ({
  reading: { type: 'number', decimal },
  misfits: { cells, examples: cells > 0 ? ['1,5'] : [] },
  examples: [{ before: '$1,250', after }],
})

test('the preview offers type and reading of a new field, and shows values before and after', async () => {
  const readings = [number('point', 1, '1250'), number('comma', 0, '1.250')]
  const suggestedReading = { type: 'number', decimal: 'comma' }
  const paid = { ...aColumn, name: 'Paid', field: null, effect: 'added', readings, suggestedReading, isAmbiguous: true }
  const { user, sent } = await openDialog({
    ...keyless(),
    [`POST ${imports}/preview`]: answer({ ...emptyPreview, columns: [paid, { ...paid, name: 'Due' }] }),
  })
  await chooseFile(new File(['Paid,Due\n"$1,250",1\n'], 'leads.csv'))
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await openStep(user, 'Match')
  expect(await screen.findByRole('combobox', { name: 'Type of Paid' })).toHaveValue('number')
  expect(screen.getAllByText('$1,250 → 1.250')).toHaveLength(2)
  expect(screen.getAllByText('No value tells the decimals. Which reading is right?')).toHaveLength(2)
  await user.selectOptions(screen.getByRole('combobox', { name: 'Reading of Paid' }), 'Decimal point: 1,250.75')
  expect(screen.getByText('$1,250 → 1250')).toBeVisible()
  expect(screen.getByText('1 cell does not fit: 1,5')).toBeVisible()
  expect(screen.getAllByText('No value tells the decimals. Which reading is right?')).toHaveLength(1)
  await user.selectOptions(screen.getByRole('combobox', { name: 'Type of Due' }), 'text')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(sent.find(({ call }) => call === `POST ${imports}`)?.body).toMatchObject({
    columnTypes: { Paid: { type: 'number', decimal: 'point' }, Due: { type: 'string' } },
  })
})

test('the choices of the last import with the same header are restored', async () => {
  const remembered = {
    name: 'Summer leads',
    columnMapping: { Paid: 'Total' },
    onMismatchByField: {},
    columnTypes: { Paid: { type: 'number', decimal: 'comma' } },
  }
  const readings = [number('point', 0, '1250'), number('comma', 0, '1.250')]
  const paid = { ...aColumn, name: 'Paid', field: null, effect: 'added', readings, suggestedReading: null }
  const { user, sent } = await openDialog({
    ...keyless(),
    [`POST ${imports}/preview`]: answer({ ...emptyPreview, columns: [paid], remembered }),
  })
  await chooseFile(new File(['Paid\n"$1,250"\n'], 'leads.csv'))
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await openStep(user, 'Match')
  expect(await screen.findByText(/Starts from the choices of the import 'Summer leads'\./)).toBeVisible()
  expect(screen.getByRole('combobox', { name: 'Import Paid as' })).toHaveValue('Total')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  const { name: _name, onMismatchByField: _none, ...choices } = remembered
  expect(sent.find(({ call }) => call === `POST ${imports}`)?.body).toMatchObject(choices)
})
