import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
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
  Storage.puts = []
  Storage.status = 200
  Storage.hangs = false
  onClose.mockReset()
  vi.stubGlobal('XMLHttpRequest', Storage)
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

test('cells that do not fit are told before the import, with what happens to them', async () => {
  const column = { type: 'string', isEmpty: false, suggestion: null, loadedType: 'number', isReport: false }
  const misfits = { ...noMisfits, number: { cells: 4, examples: ['n/a', '-', 'none'] } }
  const preview = {
    columns: [{ ...column, name: 'Loyalty', field: { name: 'Loyalty', type: 'number' }, effect: 'kept', misfits }],
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
  }
  const { user, sent } = await openDialog({
    ...portal([anImport({ generatePURL: false, purlColumns: [], dedupColumns: [] })]),
    'GET /contact-service/v1/fields': answer([{ name: 'Loyalty', type: 'number', isIndexed: false }]),
    [`POST ${imports}/preview`]: answer(preview),
  })
  await chooseFile(new File(['Loyalty\nn/a\n'], 'leads.csv'))
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), 'Autumn leads')
  await user.click(screen.getByRole('tab', { name: 'Preview' }))
  expect(await screen.findByText('4 cells do not fit: n/a, -, none, …')).toBeVisible()
  expect(
    screen.getByText('4 cells of the whole file do not fit the type of the existing field: Loyalty.'),
  ).toBeVisible()
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
