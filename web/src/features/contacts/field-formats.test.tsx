import type { FieldFormat } from '@portico/domain/field-format'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import type { Field } from '@portico/contract/contacts'
import { screen } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { ContactsPage } from './contacts-page.tsx'
import { GroupResults } from './group-results.tsx'

const field = (name: string, style?: FieldFormat['style']): Field => ({
  name,
  type: 'number',
  isIndexed: false,
  ...(style && { format: { style, decimals: null, currency: null } }),
})
const fields = [field('Zip', 'plain'), field('Revenue', 'currency'), field('Rate', 'percent'), field('Visits')]
const contact = { _id: '7', Zip: 60614, Revenue: 12500.5, Rate: 0.125, Visits: 1234, Import: 1234 }

beforeEach(() => beSignedIn({ policies: ['contact-offers-list'] }))

test('the list and the details of a contact show numbers in the format of their field', async () => {
  serveApi({
    'GET /contact-service/v1/fields': answer(fields),
    'GET /contact-service/v1/offers': answer({ rows: [contact], count: 1 }),
    'GET /contact-service/v1/offers/7': answer(contact),
  })
  const { user } = renderApp(<ContactsPage />)
  expect(await screen.findByRole('rowheader', { name: '60614' })).toBeVisible()
  for (const text of ['$12,500.50', '12.5%', '1,234']) {
    expect(await screen.findByRole('cell', { name: text })).toBeVisible()
  }
  await user.click(screen.getByRole('button', { name: /^Expand/ }))
  expect(await screen.findByText('# of Fields', { exact: false })).toBeVisible()
  const details = screen.getAllByRole('definition').map(({ textContent }) => textContent)
  expect(details).toEqual(['60614', '$12,500.50', '12.5%', '1,234', '7', '1234'])
})

test('groups and values computed from them use the format; a sum of codes is a plain number', async () => {
  const stages = parsePipeline([
    {
      $group: {
        _id: { Zip: '$Zip' },
        Mean: { $avg: '$Revenue' },
        Last: { $max: '$Zip' },
        Total: { $sum: '$Zip' },
        Contacts: { $count: {} },
      },
    },
  ])
  const row = { Zip: 60614, Mean: 10000 / 3, Last: 60614, Total: 121228, Contacts: 1200 }
  serveApi({ 'GET /contact-service/v1/offers': answer([row]) })
  const table = { page: 1, pageSize: 5, pageSizes: [5], sort: null }
  const acts = { onPageChange() {}, onPageSizeChange() {}, onSortChange() {} }
  renderApp(<GroupResults stages={stages} fields={fields} table={{ ...table, ...acts }} isDense={false} />)
  expect(await screen.findByRole('rowheader', { name: '60614' })).toBeVisible()
  expect(screen.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual([
    '$3,333.33',
    '60614',
    '121,228',
    '1,200',
  ])
})
