import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import writeExcelFile from 'write-excel-file/node'
import { aPreview, openStep } from '#test/import-steps.ts'
import { anImport } from '#test/imports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { Storage } from '#test/storage.ts'
import { NewImportDialog } from './new-import-dialog.tsx'

const imports = '/contact-service/v1/imports'
const onClose = vi.fn<() => void>()

beforeEach(() => {
  Storage.install()
  onClose.mockReset()
  beSignedIn({ policies: ['contact-imports-create'] })
})

async function openDialog(answers: Parameters<typeof serveApi>[0]) {
  const sent = serveApi({
    [`GET ${imports}`]: answer([]),
    'GET /contact-service/v1/configuration': answer({ purlColumns: [], dedupColumns: [], notificationEmails: [] }),
    [`POST ${imports}`]: answer(anImport(), 201),
    'GET /contact-service/v1/uploads/leads.xlsx': answer({ url: '/api/files/1/uploads/x?signature=y' }),
    'GET /contact-service/v1/fields': answer([{ name: 'Email', type: 'string', isIndexed: true }]),
    ...answers,
  })
  const rendered = renderApp(<NewImportDialog shown={[]} onClose={onClose} />)
  await screen.findByRole('textbox', { name: 'Import Name' })
  return { sent, ...rendered }
}

async function chooseFile(file: File): Promise<void> {
  const inputs = document.querySelectorAll<HTMLInputElement>('input[type="file"]')
  const input = [...inputs].at(-1)
  if (!input) throw new Error('there is no choice of files')
  Object.defineProperty(input, 'files', { value: [file], configurable: true })
  input.dispatchEvent(new Event('change', { bubbles: true }))
  await screen.findByText(file.name)
}

async function aWorkbook(): Promise<File> {
  const sheets = [
    { sheet: 'Cover', data: [[{ value: 'Spring' }], [{ value: 'x' }]] },
    { sheet: 'Leads', data: [['First', 'Last', 'Email'].map((value) => ({ value }))] },
  ]
  return new File([new Uint8Array(await writeExcelFile(sheets).toBuffer())], 'leads.xlsx')
}

test('a workbook offers its sheets in place of the delimiter, and its columns are known at once', async () => {
  const preview = aPreview({ columns: [], sheet: 'Leads', hiddenRows: 2, errorCells: 1 })
  const answers = {
    [`POST ${imports}/preview`]: answer(preview),
  }
  const { user, sent } = await openDialog(answers)
  const file = await aWorkbook()
  expect(screen.getByRole('combobox', { name: 'File Delimiter' })).toBeVisible()
  await chooseFile(file)
  await user.click(await screen.findByRole('combobox', { name: 'Sheet' }))
  expect(screen.getByText(/1 column/)).toHaveTextContent('Spring')
  expect(screen.queryByRole('combobox', { name: 'File Delimiter' })).toBeNull()
  await user.click(await screen.findByRole('option', { name: 'Leads' }))
  expect(await screen.findByText(/3 columns/)).toHaveTextContent('First, Last, Email')
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await openStep(user, 'Match')
  const notes =
    '2 hidden rows will be imported too. 1 cell with an error, such as #N/A, or a formula without a stored result will be empty. Save the file in Excel to store results.'
  expect(await screen.findByText(notes)).toBeVisible()
  expect(sent.find(({ call }) => call.endsWith('/preview'))?.body).toMatchObject({ fileSheet: 'Leads' })
  await openStep(user, 'Options')
  await user.click(screen.getByRole('switch', { name: 'Generate PURL' }))
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(sent.find(({ call }) => call === `POST ${imports}`)?.body).toMatchObject({ fileSheet: 'Leads' })
})

test('a workbook of events has a sheet too, and its columns can be mapped', async () => {
  const { user, sent } = await openDialog({ [`POST ${imports}/preview`]: answer(aPreview()) })
  await user.click(screen.getByText('Events'))
  await user.type(await screen.findByRole('textbox', { name: 'Import Name' }), 'Autumn orders')
  const rows = [['Email', 'event_code', 'event_date'].map((value) => ({ value }))]
  const sheets = [
    { sheet: 'Orders', data: rows },
    { sheet: 'Notes', data: [] },
  ]
  await chooseFile(new File([new Uint8Array(await writeExcelFile(sheets).toBuffer())], 'leads.xlsx'))
  expect(await screen.findByRole('combobox', { name: 'Sheet' })).toHaveValue('Orders')
  await openStep(user, 'Match')
  expect(await screen.findByRole('combobox', { name: 'Field for event_code' })).toHaveValue('event_code')
  await user.type(screen.getByRole('combobox', { name: 'Key Column' }), 'Email')
  await user.type(screen.getByRole('combobox', { name: 'Contact Field' }), 'Email')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(sent.find(({ call }) => call === `POST ${imports}`)?.body).toMatchObject({
    kind: 'events',
    fileSheet: 'Orders',
  })
})
