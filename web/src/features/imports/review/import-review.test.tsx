import type { ImportReview, ReviewOutcome } from '@portico/contract/import-review'
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { anOutcome, aReview, aReviewedField } from '#test/import-reviews.ts'
import { aPreview, openStep, stepButton } from '#test/import-steps.ts'
import { anImport } from '#test/imports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import { Storage } from '#test/storage.ts'
import { NewImportDialog } from '../new-import/new-import-dialog.tsx'

const imports = '/contact-service/v1/imports'
const reviews = '/contact-service/v1/import-reviews'
const one = `${reviews}/${aReview()._id}`
const onClose = vi.fn<() => void>()

/** A portal whose review goes through these states, one per request; it stays in the last. */
function portal(...states: Partial<ImportReview>[]): Parameters<typeof serveApi>[0] {
  let looks = 0
  return {
    [`GET ${imports}`]: answer([anImport({ generatePURL: false, purlColumns: [], dedupColumns: [] })]),
    [`POST ${imports}`]: answer(anImport({ name: 'Autumn leads' }), 201),
    'GET /contact-service/v1/uploads/leads.csv': answer({ url: '/api/files/1/uploads/x?signature=y' }),
    [`POST ${imports}/preview`]: answer(aPreview()),
    [`POST ${reviews}`]: answer(aReview(), 201),
    [`GET ${one}`]: () => answer(aReview(states[Math.min(looks++, states.length - 1)])),
    [`DELETE ${one}`]: answer(null, 204),
  }
}
const completed = (outcome: Partial<ReviewOutcome>): Partial<ImportReview> => ({
  status: 'completed',
  outcome: anOutcome(outcome),
})

beforeEach(() => {
  Storage.install()
  onClose.mockReset()
  beSignedIn({ policies: ['contact-imports-create'] })
})

/** Opens the dialog, chooses a file, names the import and requests its review. */
async function askForReview(
  answers: Parameters<typeof serveApi>[0],
): Promise<{ sent: Sent[] } & ReturnType<typeof renderApp>> {
  const sent = serveApi(answers)
  const rendered = renderApp(<NewImportDialog shown={[]} onClose={onClose} />)
  const name = await screen.findByRole('textbox', { name: 'Import Name' })
  const input = document.querySelector<HTMLInputElement>('input[type="file"]')
  if (!input) throw new Error('there is no choice of files')
  const leads = new File(['Email,Age\nada@example.com,36\n'], 'leads.csv', { type: 'text/csv' })
  Object.defineProperty(input, 'files', { value: [leads], configurable: true })
  input.dispatchEvent(new Event('change', { bubbles: true }))
  await screen.findByText('leads.csv')
  await rendered.user.type(name, 'Autumn leads')
  await openStep(rendered.user, 'Options')
  await rendered.user.click(screen.getByRole('button', { name: 'Next' }))
  return { sent, ...rendered }
}

const heading = () => screen.findByRole('heading', { name: 'Review of leads.csv' })
const rowsOf = (table: string): (string | null)[][] =>
  within(screen.getByRole('table', { name: table }))
    .getAllByRole('row')
    .map((row) => Array.from(row.children, ({ textContent }) => textContent))

test('the whole file is read with its progress, and the import then uses the reviewed settings', async () => {
  const staging = { status: 'processing', phase: 'staging', phaseProgress: 0.4 } as const
  const { user, sent } = await askForReview(portal(staging, completed({ createdRecords: 1 })))
  expect(await heading()).toHaveFocus()
  expect(screen.getByText('The whole file is read. Nothing is imported yet.')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Submit' })).not.toBeInTheDocument()
  expect(await screen.findByText('Reading rows · 40%')).toBeVisible()
  expect(screen.getByRole('progressbar', { name: 'Review of leads.csv' })).toHaveAttribute('aria-valuenow', '40')
  expect(await screen.findByText('Of 1 row, 1 creates a contact.')).toBeVisible()
  expect(screen.queryByRole('progressbar')).not.toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  const bodyOf = (call: string) => sent.find((request) => request.call === call)?.body
  expect(bodyOf(`POST ${reviews}`)).toMatchObject({ name: 'Autumn leads', filePath: 'leads.csv' })
  expect(bodyOf(`POST ${imports}`)).toEqual(bodyOf(`POST ${reviews}`))
  expect(Storage.puts).toHaveLength(1)
})

test('the outcome is shown as text, figures, fields and examples', async () => {
  await askForReview(
    portal(
      completed({
        createdRecords: 12,
        updatedRecords: 1,
        unchangedRecords: 5,
        setAsideRecords: 2,
        setAsideCells: 3,
        emptyRecords: 4,
        fields: [
          aReviewedField({ name: 'Email', filled: 18 }),
          aReviewedField({ name: 'Age', type: 'number', isNew: true, filled: 1500, changed: 1, misfits: 3 }),
          aReviewedField({ name: 'City' }),
        ],
        created: [
          { Email: 'ada@example.com', Age: '36' },
          { Email: 'bob@example.com', City: 'Rome' },
        ],
        keys: { fields: ['Email'], blank: 1, repeated: 8, frequent: [{ values: ['n/a'], rows: 7 }] },
        namingFields: ['Email', 'City', 'Card'],
        updated: [
          {
            contact: '42',
            named: { Email: 'cy@example.com', City: 'Bergen', Card: 'C-7' },
            changes: [
              { field: 'Age', before: null, after: '37' },
              { field: 'City', before: 'Bergen', after: 'Oslo' },
            ],
          },
        ],
        setAside: [{ line: 1004, reason: 'Expected 2 cells, found 1.' }],
      }),
    ),
  )
  expect(await screen.findByText(/^Of 20 rows, 12 create a contact, 1 changes a contact, 5 leave/)).toBeVisible()
  const figures = Object.fromEntries(
    screen.getAllByRole('term').map(({ textContent, nextSibling }) => [textContent, nextSibling?.textContent]),
  )
  expect(figures).toEqual({
    Created: '12',
    Updated: '1',
    Unchanged: '5',
    'Rows Set Aside': '2',
    'Cells Set Aside': '3',
    'Empty Rows Skipped': '4',
  })
  expect(
    screen.getByText(
      '1 row has no value in Email, and creates a contact. 8 rows have the key of an earlier row, and change its contact.',
    ),
  ).toBeVisible()
  expect(rowsOf('Most frequent keys')).toEqual([
    ['Email', 'Rows'],
    ['n/a', '7'],
  ])
  expect(rowsOf('Fields')).toEqual([
    ['Field', 'Filled', 'Changed', 'Cells that do not fit'],
    ['Emailtext', '18', '0', '0'],
    ['AgenumberNew field', '1,500', '1', '3'],
    ['Citytext', '0', '0', '0'],
  ])
  expect(rowsOf('Contacts to create')).toEqual([
    ['Email', 'City', 'Age'],
    ['ada@example.com', '', '36'],
    ['bob@example.com', 'Rome', ''],
  ])
  expect(screen.getByText('The first 2 of 12.')).toBeVisible()
  expect(rowsOf('Contacts to change')).toEqual([
    ['Contact', 'Field', 'Before', 'After'],
    ['cy@example.com BergenC-7', 'Age', '–', '37'],
    ['City', 'Bergen', 'Oslo'],
  ])
  expect(rowsOf('Rows and cells set aside')).toEqual([
    ['Line', 'Reason'],
    ['1,004', 'Expected 2 cells, found 1.'],
  ])
  expect(screen.getByText('The first 1 row.')).toBeVisible()
})

test('without the right to see all contacts and fields, the file is described, and why its effect is not', async () => {
  const hidden = { createdRecords: null, updatedRecords: null, unchangedRecords: null }
  await askForReview(
    portal(
      completed({
        ...hidden,
        totalRecords: 3,
        setAsideRecords: 1,
        fields: [aReviewedField({ name: 'Email', filled: 3 })],
      }),
    ),
  )
  expect(await screen.findByText('Of 4 rows, 1 is set aside.')).toBeVisible()
  expect(screen.getByText(/is shown only to people who see all contacts and may search by all fields/)).toBeVisible()
  expect(screen.getAllByRole('term').map(({ textContent }) => textContent)).toEqual([
    'Rows Set Aside',
    'Cells Set Aside',
    'Empty Rows Skipped',
  ])
  expect(rowsOf('Fields').slice(1)).toEqual([['Emailtext', '3', '0', '0']])
  expect(screen.queryByRole('heading', { name: /^Contacts to/ })).not.toBeInTheDocument()
})

test('a review of an earlier release with too long examples shows a note', async () => {
  await askForReview(portal(completed({ createdRecords: 2, created: [], examplesLeftOut: true })))
  expect(await screen.findByText(/^The examples are too long to be shown\./)).toBeVisible()
})

test('fields beyond the first fifty are shown on request', async () => {
  const fields = Array.from({ length: 60 }, (_, index) => aReviewedField({ name: `Field ${index + 1}` }))
  const { user } = await askForReview(portal(completed({ unchangedRecords: 1, fields })))
  await screen.findByRole('table', { name: 'Fields' })
  expect(rowsOf('Fields')).toHaveLength(51)
  await user.click(screen.getByRole('button', { name: 'Show more of the 60 fields' }))
  expect(rowsOf('Fields')).toHaveLength(61)
})

test('an import that would be rejected shows the reason and offers only Back', async () => {
  const reason = 'The file has no column "Email".'
  const { user } = await askForReview(portal({ status: 'rejected', recoveryError: reason }))
  const alert = await screen.findByRole('alert')
  expect(alert).toHaveTextContent(`The import would be rejected${reason}`)
  expect(screen.queryByRole('button', { name: 'Submit' })).not.toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: 'Back' }))
  expect(stepButton('Options')).toHaveAttribute('aria-current', 'step')
})

test('Back ends the review and returns to the options, with the form as it was', async () => {
  const { user, sent } = await askForReview(portal({ status: 'recovery', recoveryError: 'The disk is full.' }))
  expect(await screen.findByText('Waiting to retry')).toBeVisible()
  expect(screen.getByText('The disk is full.')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Back' }))
  expect(screen.getByRole('heading', { name: 'Step 3 of 4: Options' })).toHaveFocus()
  expect(sent.filter(({ call }) => call === `DELETE ${one}`)).toHaveLength(1)
  await user.click(stepButton('File'))
  expect(screen.getByRole('textbox', { name: 'Import Name' })).toHaveValue('Autumn leads')
  expect(screen.getByText('leads.csv')).toBeVisible()
  const looks = () => sent.filter(({ call }) => call === `GET ${one}`).length
  const before = looks()
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(looks()).toBe(before)
  expect(Storage.puts).toHaveLength(1)
})

test('closing the dialog ends the review', async () => {
  const { user, sent, unmount } = await askForReview(portal({ status: 'processing' }))
  await heading()
  await user.click(screen.getByRole('button', { name: 'Close' }))
  await user.click(await screen.findByRole('button', { name: 'Discard' }))
  expect(onClose).toHaveBeenCalledTimes(1)
  unmount()
  expect(sent.filter(({ call }) => call === `DELETE ${one}`)).toHaveLength(1)
})

test('a refusal by the server for a field of the import returns to its tab', async () => {
  const details = [{ field: 'notificationEmails.0', message: 'Invalid email address!' }]
  const { user, sent } = await askForReview({
    ...portal(completed({ createdRecords: 1 })),
    [`POST ${imports}`]: refusal(400, 'invalid_input', 'Some fields', details),
  })
  await user.click(await screen.findByRole('button', { name: 'Submit' }))
  expect(await screen.findByText('Invalid email address!')).toBeVisible()
  expect(screen.getByRole('tab', { name: /Notification Emails/ })).toHaveAttribute('aria-selected', 'true')
  expect(sent.filter(({ call }) => call === `DELETE ${one}`)).toHaveLength(1)
})

test('a refused review stays in the form and is reported at the field', async () => {
  const { user } = await askForReview({
    ...portal({}),
    [`POST ${reviews}`]: refusal(409, 'name_taken', 'Value is duplicate!'),
  })
  expect(await screen.findByText('Value is duplicate!')).toBeVisible()
  expect(screen.queryByRole('heading', { name: /^Review/ })).not.toBeInTheDocument()
  expect(stepButton('File')).toHaveAttribute('aria-current', 'step')
  await user.type(screen.getByRole('textbox', { name: 'Import Name' }), ' of today')
  expect(screen.queryByText('Value is duplicate!')).not.toBeInTheDocument()
})

test('an import that fails from the review can be retried there; Back clears the failure', async () => {
  const { user } = await askForReview({
    ...portal(completed({ createdRecords: 1 })),
    [`POST ${imports}`]: refusal(409, 'limit_reached', 'Only two imports can wait.'),
  })
  await user.click(await screen.findByRole('button', { name: 'Submit' }))
  expect(await screen.findByRole('alert')).toHaveTextContent('Only two imports can wait.')
  expect(screen.getByRole('button', { name: 'Try again' })).toBeEnabled()
  await user.click(screen.getByRole('button', { name: 'Back' }))
  expect(screen.queryByText('Only two imports can wait.')).not.toBeInTheDocument()
  expect(screen.getByRole('button', { name: 'Submit' })).toBeEnabled()
})

test('an expired review can be repeated', async () => {
  let made = 0
  const { user, sent } = await askForReview({
    ...portal(),
    [`POST ${reviews}`]: () => answer(aReview({ _id: String(made++) }), 201),
    [`GET ${reviews}/1`]: answer(aReview({ _id: '1', ...completed({ createdRecords: 1 }) })),
  })
  expect(await screen.findByText(/^This review is no longer kept/)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('Of 1 row, 1 creates a contact.')).toBeVisible()
  expect(sent.filter(({ call }) => call === `GET ${reviews}/0`)).toHaveLength(1)
})

test('the step of the review can be chosen again, and starts another one', async () => {
  const { user, sent } = await askForReview(portal({ status: 'processing' }))
  await heading()
  await user.click(stepButton('File'))
  expect(sent.filter(({ call }) => call === `DELETE ${one}`)).toHaveLength(1)
  await user.click(stepButton('Review'))
  expect(await heading()).toHaveFocus()
  expect(sent.filter(({ call }) => call === `POST ${reviews}`)).toHaveLength(2)
  expect(sent.some(({ call }) => call === `POST ${imports}`)).toBe(false)
})
