import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { ContactsPage } from './contacts-page.tsx'
import { searchPath } from '#domain/results'

const offers = '/contact-service/v1/offers'
const portal = {
  'GET /contact-service/v1/fields': answer(
    ['First', 'Email'].map((name) => ({ name, type: 'string', isIndexed: false })),
  ),
  [`GET ${offers}`]: answer({ rows: [{ _id: '7', First: 'Ada' }], count: 40 }),
  [`DELETE ${offers}`]: answer({ deletedCount: 40 }),
  'POST /contact-service/v1/exports': answer({ name: 'Leads' }, 201),
}

const isAda = { $match: { $and: [{ First: 'Ada' }] } }

test.each([
  ['the table', '/contact-service/documents?sort=Email&dir=desc', [{ $sort: { Email: -1 } }], []],
  [
    'the search',
    searchPath(parsePipeline([isAda, { $sort: { Email: 1 } }])),
    [isAda, { $sort: { Email: 1 } }],
    [isAda],
  ],
])(
  'contacts are exported in the order of %s, and deleted without an order',
  async (_what, place, exported, deleted) => {
    beSignedIn({ policies: ['contact-offers-list', 'contact-export-create', 'contact-offers-delete'] })
    const sent = serveApi(portal)
    const { user } = renderApp(<ContactsPage />, place)
    await user.click(await screen.findByRole('button', { name: 'Export Results' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Export These Results' }))
    await user.type(dialog.getByRole('textbox', { name: 'Export Name' }), 'Leads')
    await user.click(dialog.getByRole('button', { name: 'Submit' }))
    expect(await screen.findByText("'Leads' was submitted.")).toBeVisible()
    expect(sent.find(({ call }) => call.endsWith('/exports'))?.body).toMatchObject({
      aggregateQuery: JSON.stringify(exported),
    })
    await user.click(screen.getByRole('button', { name: 'Delete Results' }))
    await user.type(await screen.findByRole('textbox', { name: /^To delete 40 records/ }), '40{Enter}')
    expect(await screen.findByText('40 records were deleted. This can be undone for 30 days.')).toBeVisible()
    expect(sent.find(({ call }) => call.startsWith('DELETE'))?.body).toEqual({ filter: deleted, deletedRecords: 40 })
  },
)

test('the space of the buttons is reserved before the number of results is known', async () => {
  beSignedIn({ policies: ['contact-offers-list', 'contact-export-create', 'contact-offers-delete'] })
  serveApi(portal)
  renderApp(<ContactsPage />)
  const buttons = ['Export Results', 'Delete Results'].map((label) => screen.getByText(label))
  for (const button of buttons) expect(button).not.toBeVisible()
  expect(await screen.findByText('40 contacts')).toBeVisible()
  for (const button of buttons) expect(button).toBeVisible()
})
