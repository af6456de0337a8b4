import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { aPreview, aPreviewColumn, openStep } from '#test/import-steps.ts'
import { anImport } from '#test/imports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { Storage } from '#test/storage.ts'
import { NewImportDialog } from '../new-import/new-import-dialog.tsx'

const imports = '/contact-service/v1/imports'
const columns = ['Email', 'events.event_code', 'events.event_date', 'events.Price']
const onClose = vi.fn<() => void>()

beforeEach(() => {
  Storage.install()
  onClose.mockReset()
  beSignedIn({ policies: ['contact-imports-create', 'contact-offers-list'] })
})

/** Opens the step Match for an export with event fields, chosen as a file of contacts. */
async function openMatch() {
  const sent = serveApi({
    [`GET ${imports}`]: answer([anImport({ generatePURL: false, purlColumns: [], dedupColumns: [] })]),
    'GET /contact-service/v1/configuration': answer({ purlColumns: [], dedupColumns: [], notificationEmails: [] }),
    'GET /contact-service/v1/fields': answer([{ name: 'Email', type: 'string', isIndexed: true }]),
    'GET /contact-service/v1/uploads/clicks.csv': answer({ url: '/api/files/1/uploads/x?signature=y' }),
    [`POST ${imports}/preview`]: answer(aPreview({ columns: columns.map((name) => aPreviewColumn({ name })) })),
    [`POST ${imports}`]: answer(anImport(), 201),
  })
  const { user } = renderApp(<NewImportDialog shown={[]} onClose={onClose} />)
  const name = await screen.findByRole('textbox', { name: 'Import Name' })
  const input = document.querySelector<HTMLInputElement>('input[type="file"]')
  if (!input) throw new Error('there is no choice of files')
  await user.upload(input, new File([`${columns.join()}\nada@x,open,2026-01-31,5\n`], 'clicks.csv'))
  await user.type(name, 'Clicks of May')
  await openStep(user, 'Match')
  expect(await screen.findByText('3 columns of events')).toBeVisible()
  const submitted = () => sent.find(({ call }) => call === `POST ${imports}`)?.body
  return { user, submitted }
}

test('a file of contacts with columns of events is imported as events with one click', async () => {
  const { user, submitted } = await openMatch()
  const mark = 'Names that begin with "events." are those of event fields.'
  expect(screen.queryByText(mark)).toBeNull()
  // They would become no fields of contacts.
  expect(screen.getAllByText('Not a field of contacts')).toHaveLength(3)
  expect(screen.getByText(/^Fields: 1 existing, 3 of events\./)).toBeVisible()
  await user.type(screen.getByRole('combobox', { name: 'Import events.Price as' }), 's')
  expect(screen.getByText(mark)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Import as events' }))
  expect(await screen.findByRole('radio', { name: 'Events' })).toBeChecked()
  const names = screen.getAllByRole('textbox', { name: 'Import Name' })
  expect(names.at(-1)).toHaveValue('Clicks of May')
  const submit = await screen.findByRole('button', { name: 'Submit' })
  await waitFor(() => expect(submit).toBeEnabled())
  await user.click(submit)
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(submitted()).toMatchObject({
    kind: 'events',
    filePath: 'clicks.csv',
    keyColumn: 'Email',
    keyField: 'Email',
    columnMapping: { 'events.event_code': 'event_code', 'events.event_date': 'event_date', 'events.Price': 'Price' },
  })
})

test('columns of events are skipped with one click, and the rest is imported as contacts', async () => {
  const { user, submitted } = await openMatch()
  await user.click(screen.getByRole('button', { name: 'Skip these columns' }))
  expect(screen.queryByText('3 columns of events')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(submitted()).toMatchObject({
    columnMapping: { 'events.event_code': null, 'events.event_date': null, 'events.Price': null },
  })
})
