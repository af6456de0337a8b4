import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { anExport } from '#test/exports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { ExportsPage } from './exports-page.tsx'

const fields = ['First', 'Last', 'Email', 'City', 'State', 'Zip', 'Country', 'Score'].map((name) => ({
  name,
  type: 'string',
  isIndexed: false,
}))

test('Select all takes the fields of contacts, and event fields add to the number of rows', async () => {
  beSignedIn({ policies: ['contact-export-list', 'contact-export-create', 'contact-offers-list'] })
  const sent = serveApi({
    'GET /contact-service/v1/exports': ({ query }) => answer('count' in query ? { count: 0 } : []),
    'GET /contact-service/v1/fields': answer(fields),
    'GET /contact-service/v1/fields/events': answer([{ name: 'price' }]),
    'GET /contact-service/v1/offers': ({ query }) => answer({ count: 'aggregate' in query ? 1597 : 11_873 }),
    'POST /contact-service/v1/exports': answer(anExport({ name: 'All contacts' }), 201),
  })
  const { user } = renderApp(<ExportsPage />)
  const open = await screen.findByRole('button', { name: 'NEW EXPORT' })
  await waitFor(() => expect(open).not.toHaveAttribute('aria-disabled'))
  await user.click(open)
  await user.type(await screen.findByRole('textbox', { name: 'Export Name' }), 'All contacts')
  await user.click(screen.getByRole('button', { name: 'Select all' }))
  expect(screen.getByRole('button', { name: 'Select all' })).toBeDisabled()
  expect(await screen.findByText('11,873 records')).toBeVisible()
  expect(screen.queryByText(/one row per event/)).toBeNull()
  const chooser = screen.getByRole('combobox', { name: /Fields to export/ })
  await user.type(chooser, 'events.price')
  await user.click(await screen.findByRole('option', { name: 'events.price', hidden: true }))
  expect(await screen.findByText('1,597 events')).toBeVisible()
  expect(sent.map(({ query }) => query['aggregate'])).toContainEqual('[{"$unwind":"$events"}]')
  await user.clear(chooser)
  await user.keyboard('{Backspace}')
  expect(await screen.findByText('11,873 records')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await screen.findByText("'All contacts' was submitted.")
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toMatchObject({
    exportFields: [...fields.map(({ name }) => name), 'purl', 'Import', '_id'],
  })
})
