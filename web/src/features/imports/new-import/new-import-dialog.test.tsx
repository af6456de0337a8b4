import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { aPreview, aPreviewColumn, openStep } from '#test/import-steps.ts'
import { anImport } from '#test/imports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import { Storage } from '#test/storage.ts'
import { NewImportDialog } from './new-import-dialog.tsx'

const imports = '/contact-service/v1/imports'
const link = { url: '/api/files/1/uploads/x?signature=y' }
const portal = (latest: unknown[], created: Parameters<typeof serveApi>[0][string] = answer(anImport(), 201)) => ({
  [`GET ${imports}`]: answer(latest),
  'GET /contact-service/v1/configuration': answer({ purlColumns: [], dedupColumns: [], notificationEmails: [] }),
  [`POST ${imports}`]: created,
  [`POST ${imports}/preview`]: answer(aPreview()),
  'GET /contact-service/v1/uploads/leads.csv': answer(link),
  'GET /contact-service/v1/fields': answer([{ name: 'Loyalty', type: 'string', isIndexed: false }]),
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

/** Completes the first step, and opens the options. */
async function nameAndOpenOptions(user: ReturnType<typeof renderApp>['user']): Promise<void> {
  await chooseFile()
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await openStep(user, 'Options')
}

test('the first import works from choosing the file to the snackbar', async () => {
  const { user, sent } = await openDialog(portal([]))
  await chooseFile()
  expect(await screen.findByText(/3 columns/)).toHaveTextContent('First, Last, Email')
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await openStep(user, 'Options')
  await user.click(screen.getByRole('tab', { name: /PURL Columns/ }))
  await user.type(screen.getByRole('combobox', { name: 'PURL Columns' }), 'First{Enter}Last{Enter}')
  await user.click(screen.getByRole('tab', { name: /Dedup Columns/ }))
  await user.type(screen.getByRole('combobox', { name: 'Dedup Columns' }), 'Email{Enter}')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(Storage.puts).toEqual([{ url: link.url, file: leads }])
  expect(sent.find(({ call }) => call === `POST ${imports}`)?.body).toMatchObject({
    name: 'Autumn leads',
    filePath: 'leads.csv',
    generatePURL: true,
    purlColumns: ['First', 'Last'],
    dedupColumns: ['Email'],
    processBatchSize: 100,
  })
  expect(await screen.findByText("'Spring leads' was saved.")).toBeVisible()
})

test('the first import starts with the import defaults of the account', async () => {
  const set = { purlColumns: ['Last'], dedupColumns: ['Email'], notificationEmails: ['ann@example.com'] }
  const { user, sent } = await openDialog({ ...portal([]), 'GET /contact-service/v1/configuration': answer(set) })
  await chooseFile()
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await openStep(user, 'Options')
  await user.click(screen.getByRole('tab', { name: 'Notification Emails' }))
  expect(screen.getByText('ann@example.com')).toBeVisible()
  await user.type(screen.getByRole('combobox', { name: 'Notification Emails' }), 'bob{Enter}')
  expect(screen.getByText('Invalid email address!')).toBeVisible()
  await user.type(screen.getByRole('combobox', { name: 'Notification Emails' }), '{Backspace}')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(sent.find(({ call }) => call === `POST ${imports}`)?.body).toMatchObject(set)
})

test('validates the name while typing', async () => {
  const { user } = await openDialog(portal([]))
  const name = screen.getByRole('textbox', { name: 'Import Name' })
  await user.type(name, 'abcd')
  expect(screen.getByText('Name should have more than 5 charecters')).toBeVisible()
  await user.clear(name)
  expect(screen.getByText('Value is required!')).toBeVisible()
  await user.type(name, 'SPRING leads')
  expect(screen.getByText('Value is duplicate!')).toBeVisible()
})

test('inherits from the most recent import, and locks what can no longer change', async () => {
  const latest = anImport({ fileDelimiter: 'pipe', typeCasting: true })
  const { user } = await openDialog(portal([latest]))
  expect(screen.getByRole('combobox', { name: 'File Delimiter' })).toHaveValue('Pipe')
  await nameAndOpenOptions(user)
  expect(screen.getByRole('switch', { name: 'Generate PURL' })).toBeDisabled()
  expect(screen.getByRole('switch', { name: 'Same PURL for the same contact' })).toBeDisabled()
  expect(screen.getByRole('switch', { name: 'Cast Types' })).toBeChecked()
  // At both switches, and at the columns on the other tabs.
  expect(screen.getAllByText('Cannot be changed anymore')).toHaveLength(4)
  await user.click(screen.getByRole('tab', { name: /^PURL Columns/ }))
  expect(screen.getByRole('combobox', { name: 'PURL Columns' })).toBeDisabled()
})

test('an import that was rejected locks nothing', async () => {
  const rejected = anImport({ status: 'rejected', processedRecords: 0, dedupColumns: ['Emial'] })
  const { user } = await openDialog({
    ...portal([]),
    [`GET ${imports}`]: ({ query }) => answer(query['find']?.includes('processedRecords') ? [] : [rejected]),
  })
  await nameAndOpenOptions(user)
  expect(screen.getByRole('switch', { name: 'Generate PURL' })).toBeEnabled()
  expect(screen.queryByText('Cannot be changed anymore')).not.toBeInTheDocument()
})

test('inherited columns missing from the file are left out with a note', async () => {
  const latest = anImport({ latitudeColumn: 'Lat', longitudeColumn: 'Lon', dedupColumns: ['Email', 'Branch'] })
  const { user, sent } = await openDialog({
    ...portal([]),
    [`GET ${imports}`]: ({ query }) => answer(query['find']?.includes('processedRecords') ? [] : [latest]),
  })
  expect(screen.queryByText(/left out/)).not.toBeInTheDocument()
  await chooseFile()
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  const note = 'Left out of the settings, as this file has no such columns: "Lat", "Lon", "Branch".'
  expect(await screen.findByText(note)).toBeVisible()
  await openStep(user, 'Options')
  expect(screen.getByRole('combobox', { name: 'Latitude Column' })).toHaveAccessibleDescription(
    'Left out for this file, which has no such column: "Lat".',
  )
  await user.click(screen.getByRole('tab', { name: 'Dedup Columns' }))
  expect(screen.getByText('Left out for this file, which has no such column: "Branch".')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  const body = sent.find(({ call }) => call === `POST ${imports}`)?.body
  expect(body).toMatchObject({ dedupColumns: ['Email'], purlColumns: ['First', 'Last'] })
  expect(body).not.toHaveProperty('latitudeColumn')
  expect(body).not.toHaveProperty('longitudeColumn')
})

test('chosen columns missing from the file are errors, and one click clears a place', async () => {
  const { user } = await openDialog(portal([anImport()]))
  await nameAndOpenOptions(user)
  await user.type(screen.getByRole('combobox', { name: 'Latitude Column' }), 'Lat')
  await user.type(screen.getByRole('combobox', { name: 'Longitude Column' }), 'Lon')
  expect(screen.getByText('The file has no column "Lat".')).toBeVisible()
  expect(screen.getByRole('tab', { name: /^Main Info ?\(has errors\)$/ })).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Clear Latitude Column' }))
  expect(screen.getByRole('tab', { name: 'Main Info' })).toBeVisible()
  expect(screen.getByRole('combobox', { name: 'Longitude Column' })).toHaveValue('')
})

test('a missing column that earlier imports have fixed is an error with the ways out', async () => {
  const { user } = await openDialog(portal([anImport({ dedupColumns: ['Number'] })]))
  await nameAndOpenOptions(user)
  await user.click(screen.getByRole('tab', { name: /^Dedup Columns/ }))
  expect(screen.getByText(/^The file has no column "Number"\. Map a column to it in Match, or choose/)).toBeVisible()
})

test('without PURLs there are no tabs for PURL and dedup columns', async () => {
  const { user } = await openDialog(portal([]))
  await nameAndOpenOptions(user)
  await user.click(screen.getByRole('switch', { name: 'Same PURL for the same contact' }))
  await user.click(screen.getByRole('switch', { name: 'Generate PURL' }))
  expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual([
    'Main Info',
    'Notification Emails',
    'SFTP',
    'PGP',
  ])
  expect(screen.getByRole('switch', { name: 'Same PURL for the same contact' })).not.toBeChecked()
})

test('a taken name is reported at its field, and the file is not uploaded twice', async () => {
  let isTaken = true
  const { user, sent } = await openDialog(
    portal([anImport()], () =>
      isTaken ? refusal(409, 'name_taken', 'Value is duplicate!') : answer(anImport({ name: 'Other name' }), 201),
    ),
  )
  await chooseFile()
  const name = screen.getByRole('textbox', { name: 'Import Name' })
  await user.type(name, 'Old name')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByText('Value is duplicate!')).toBeVisible()
  isTaken = false
  await user.clear(name)
  await user.type(name, 'Other name')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(Storage.puts).toHaveLength(1)
  expect(sent.filter(({ call }) => call === `POST ${imports}`)).toHaveLength(2)
})

test('a refusal by the server for a field opens its step and tab, and can be submitted again', async () => {
  const details = [{ field: 'purlColumns', message: 'Cannot be changed anymore: First' }]
  const { user, sent } = await openDialog(portal([anImport()], refusal(400, 'invalid_input', 'Some fields', details)))
  await chooseFile()
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Other name')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByText('Cannot be changed anymore: First')).toBeVisible()
  expect(screen.getByRole('tab', { name: /PURL Columns/ })).toHaveAttribute('aria-selected', 'true')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(sent.filter(({ call }) => call === `POST ${imports}`)).toHaveLength(2))
})

test('a failed upload shows the reason and keeps the input', async () => {
  Storage.status = 403
  const { user } = await openDialog(portal([anImport()]))
  await chooseFile()
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByText('Something went wrong!')).toBeVisible()
  expect(screen.getByText('This link has expired.')).toBeVisible()
  expect(screen.getByRole('textbox', { name: 'Import Name' })).toHaveValue('Autumn leads')
  Storage.status = 200
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
})

test.each([
  ['leads.doc', 'End the name with .csv, .txt, .zip, .gz, .xlsx or .xlsm.'],
  ['Leads.XLS', 'Save the workbook as .xlsx or CSV and choose that file.'],
  ['leads.ods', 'Save the workbook as .xlsx or CSV and choose that file.'],
])('%s is refused with advice', async (name, advice) => {
  await openDialog(portal([]))
  const input = document.querySelector<HTMLInputElement>('input[type="file"]')
  Object.defineProperty(input, 'files', { value: [new File(['x'], name)], configurable: true })
  input?.dispatchEvent(new Event('change', { bubbles: true }))
  expect(await screen.findByText(advice)).toBeVisible()
})

test('the dialog closes only with its own buttons', async () => {
  const { user } = await openDialog(portal([]))
  await user.keyboard('{Escape}')
  await user.click(document.querySelector('.mantine-Modal-inner') ?? document.body)
  expect(onClose).not.toHaveBeenCalled()
  await user.click(screen.getByRole('button', { name: 'Close' }))
  expect(onClose).toHaveBeenCalledTimes(1)
})

test('SFTP and PGP are shown disabled, and explain why on keyboard focus too', async () => {
  const { user } = await openDialog(portal([]))
  await nameAndOpenOptions(user)
  await user.click(screen.getByRole('tab', { name: 'SFTP' }))
  expect(screen.getByRole('tab', { name: /^Main Info/ })).toHaveAttribute('aria-selected', 'true')
  screen.getByRole('tab', { name: 'Notification Emails' }).focus()
  await user.keyboard('{ArrowRight}')
  const sftp = screen.getByRole('tab', { name: 'SFTP' })
  expect(sftp).toHaveFocus()
  expect(sftp).toHaveAttribute('aria-disabled', 'true')
  expect(await screen.findByText('SFTP import is not available.')).toBeVisible()
  await user.keyboard('{ArrowRight}')
  expect(screen.getByRole('tab', { name: 'PGP' })).toHaveFocus()
  expect(await screen.findByText('Encrypted import is not available.')).toBeVisible()
  expect(sftp).toHaveAttribute('aria-selected', 'false')
})

test('a long upload keeps the user signed in, shows its progress, and can be cancelled', async () => {
  Storage.hangs = true
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const { user, sent } = await openDialog(portal([anImport()]))
  await chooseFile()
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByRole('progressbar', { name: 'Upload of leads.csv' })).toHaveAttribute('aria-valuenow', '0')
  localStorage.removeItem('portico.lastActivity')
  await vi.advanceTimersByTimeAsync(61_000)
  vi.useRealTimers()
  expect(localStorage.getItem('portico.lastActivity')).not.toBeNull()
  expect(sent.filter(({ query }) => 'count' in query)).toHaveLength(1)
  await user.click(screen.getByRole('button', { name: 'Cancel upload' }))
  expect(await screen.findByRole('button', { name: 'Submit' })).toBeEnabled()
  expect(screen.getByRole('textbox', { name: 'Import Name' })).toHaveValue('Autumn leads')
})

test('without the right to see contacts no fields are requested, and the preview provides them', async () => {
  const preview = aPreview({
    columns: [
      aPreviewColumn({ name: 'First', field: { name: 'First', type: 'string' }, effect: 'kept' }),
      aPreviewColumn({ name: 'mail', suggestion: { name: 'Email', type: 'string' } }),
    ],
    rows: [],
  })
  const { user, sent } = await openDialog({ ...portal([]), [`POST ${imports}/preview`]: answer(preview) })
  await chooseFile()
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await openStep(user, 'Match')
  expect(await screen.findByText('Fields: 1 new, 1 existing. Types as in the whole file.')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Use Email' }))
  expect(screen.getByText('Fields: 2 existing. Types as in the whole file.')).toBeVisible()
  expect(sent.some(({ call }) => call.endsWith('/fields'))).toBe(false)
})
