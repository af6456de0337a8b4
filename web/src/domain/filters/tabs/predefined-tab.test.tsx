import { screen, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { box, buildFilter, button, choose, tab } from '#test/filter-builder.tsx'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { emptyFilter, type Filter } from '../stages/filter.ts'
import { FilterBuilder } from '../filter-builder.tsx'

const rdls = 'GET /contact-service/v1/rdls'
const counts = { 'GET /contact-service/v1/offers': answer({ count: 1234 }) }

function build(value: Filter = emptyFilter) {
  const fields = [{ name: 'City', type: 'string', isIndexed: true }] as const
  const built = buildFilter({ fields, value })
  return { ...built, open: (): Promise<void> => built.user.click(tab('Predefined')) }
}

const best = { _id: '17', name: 'Best customers', showInSubaccounts: true, isOwn: true }
const parents = { _id: '9', name: 'Everybody', showInSubaccounts: true, isOwn: false }
const stored = { ...best, aggregateQuery: '[{"$match":{"City":"Paris"}}]' }
const saved = {
  ...counts,
  [rdls]: answer([best, parents]),
  [`${rdls}/17`]: answer(stored),
  [`${rdls}/9`]: answer({ ...parents, aggregateQuery: '[{"$match":{"$or":[]}}]' }),
}

test('a predefined filter replaces the other tabs until they are used or it is copied to them', async () => {
  beSignedIn({ policies: ['contact-offers-list', 'contact-rdls-list'] })
  const sent = serveApi(saved)
  const { user, applied, open } = build({ ...emptyFilter, fullText: 'anna' })
  await open()
  await choose(user, 'Predefined filter', 'Best customers')
  expect(await screen.findByText('Contacts of the saved filter “Best customers”.')).toBeVisible()
  expect(screen.getByText('Contacts whose City is “Paris”.')).toBeVisible()
  expect(await screen.findByText('1,234 contacts')).toBeVisible()
  expect(sent.findLast(({ query }) => 'count' in query)?.query['find']).toBe('[{"$match":{"$and":[{"City":"Paris"}]}}]')
  // Only administrators can change them.
  expect(screen.queryByRole('button', { name: 'Add' })).toBeNull()
  await user.click(button('Apply'))
  expect(applied).toEqual([{ ...emptyFilter, predefined: '17' }])

  await user.click(tab('Full Text'))
  expect(screen.getByText('A predefined filter is selected. It replaces the conditions below.')).toBeVisible()
  await user.click(button('Use these tabs instead'))
  await user.click(button('Apply'))
  expect(applied.at(-1)).toEqual({ ...emptyFilter, fullText: 'anna' })

  await open()
  await choose(user, 'Predefined filter', 'Best customers')
  await user.click(await screen.findByRole('button', { name: 'Copy to the tabs' }))
  await user.click(button('Apply'))
  const city = { field: 'City', type: 'string', operator: '=', value: 'Paris' }
  expect(applied.at(-1)).toEqual({ ...emptyFilter, standard: [city] })
  // Stages that rows cannot show are copied unchanged.
  await choose(user, 'Predefined filter', 'Everybody (of the parent account)')
  await user.click(await screen.findByRole('button', { name: 'Copy to the tabs' }))
  expect(screen.getByRole('alert')).toHaveTextContent('Unknown Operator: "$or"')
})

test('administrators save the filter of the tabs under a name; its text is checked while typing', async () => {
  const sent = serveApi({
    ...saved,
    'POST /contact-service/v1/rdls': (one) =>
      (one.body as { name: string }).name === 'Best customers'
        ? refusal(409, 'name_taken')
        : answer({ ...stored, _id: '18', name: 'Readers' }, 201),
    [`${rdls}/18`]: answer({ ...stored, _id: '18', name: 'Readers' }),
  })
  beSignedIn({ policies: ['contact-offers-list', 'contact-rdls-list', 'contact-rdls-create'] })
  const { user, open } = build({ ...emptyFilter, fullText: 'anna' })
  await open()
  expect(screen.queryByRole('button', { name: 'Edit' })).toBeNull()
  await user.click(button('Add'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add a predefined filter' }))
  const text = dialog.getByRole('textbox', { name: 'Filter' })
  expect(text).toHaveValue(JSON.stringify([{ $match: { $and: [{ $text: { $search: 'anna' } }] } }], null, 2))
  await user.clear(text)
  await user.type(text, '{{}')
  expect(dialog.getByText('Should be an array')).toBeVisible()
  await user.type(text, ',')
  expect(dialog.getByText(/JSON/)).toBeVisible()
  await user.clear(text)
  await user.type(text, '[[]')
  await user.click(dialog.getByRole('button', { name: 'SAVE' }))
  expect(dialog.getByText('Value is required!')).toBeVisible()
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'Best customers')
  await user.click(dialog.getByRole('button', { name: 'SAVE' }))
  expect(await dialog.findByText('Value is duplicate!')).toBeVisible()
  await user.clear(dialog.getByRole('textbox', { name: 'Name' }))
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'Readers')
  await user.click(dialog.getByRole('button', { name: 'SAVE' }))
  expect(await screen.findByText("'Readers' was saved.")).toBeVisible()
  expect(sent.findLast(({ call }) => call.startsWith('POST'))?.body).toEqual({
    name: 'Readers',
    aggregateQuery: '[]',
    showInSubaccounts: false,
  })
  // It is selected at once.
  expect(await screen.findByText('Contacts of the saved filter “Readers”.')).toBeVisible()
})

test('administrators change the filters of the account, and delete them by typing the name', async () => {
  const sent = serveApi({
    ...saved,
    'PUT /contact-service/v1/rdls/17': answer({ ...stored, name: 'Best of all' }),
    'DELETE /contact-service/v1/rdls/17': answer(null, 204),
  })
  beSignedIn({ policies: ['contact-offers-list', 'contact-rdls-list', 'contact-rdls-update', 'contact-rdls-delete'] })
  const { user, applied, open } = build()
  await open()
  expect(button('Edit')).toHaveAttribute('aria-disabled', 'true')
  await choose(user, 'Predefined filter', 'Everybody (of the parent account)')
  expect(button('Delete')).toHaveAttribute('aria-disabled', 'true')
  await choose(user, 'Predefined filter', 'Best customers')
  await screen.findByText('Contacts whose City is “Paris”.')
  await user.click(button('Edit'))
  const edit = within(await screen.findByRole('dialog', { name: 'Edit the predefined filter' }))
  await user.type(edit.getByRole('textbox', { name: 'Name' }), '{Backspace}')
  await user.click(edit.getByRole('button', { name: 'UPDATE' }))
  expect(await screen.findByText("'Best of all' was saved.")).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('PUT'))?.body).toMatchObject({ name: 'Best customer' })

  await user.click(button('Delete'))
  const remove = within(await screen.findByRole('dialog', { name: 'Delete the predefined filter' }))
  await user.type(remove.getByRole('textbox', { name: 'Name' }), 'best')
  expect(remove.getByText("Name doesn't match!")).toBeVisible()
  await user.click(remove.getByRole('button', { name: 'DELETE' }))
  expect(remove.getByRole('alert')).toHaveTextContent("Names didn't match! Please try again.")
  expect(sent.some(({ call }) => call.startsWith('DELETE'))).toBe(false)
  await user.clear(remove.getByRole('textbox', { name: 'Name' }))
  await user.type(remove.getByRole('textbox', { name: 'Name' }), 'Best customers')
  await user.click(remove.getByRole('button', { name: 'DELETE' }))
  expect(await screen.findByText("'Best customers' was deleted.")).toBeVisible()
  await user.click(button('Apply'))
  expect(applied).toEqual([emptyFilter])
})

/** Renders the builder with the filter it applies, and a list that reflects deletions. */
function buildApplying(value: Filter) {
  let listed = [best, parents]
  serveApi({
    ...saved,
    [rdls]: () => answer(listed),
    'DELETE /contact-service/v1/rdls/17': () => {
      listed = [parents]
      return answer(null, 204)
    },
  })
  beSignedIn({ policies: ['contact-offers-list', 'contact-rdls-list', 'contact-rdls-delete'] })
  const applied: Filter[] = []
  function Page() {
    const [now, setNow] = useState(value)
    const apply = (filter: Filter): void => {
      applied.push(filter)
      setNow(filter)
    }
    return <FilterBuilder fields={[]} value={now} tabs={['predefined', 'fulltext']} onApply={apply} />
  }
  return { ...renderApp(<Page />), applied }
}

async function deleteBest(user: UserEvent): Promise<void> {
  await user.click(button('Delete'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete the predefined filter' }))
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'Best customers')
  await user.click(dialog.getByRole('button', { name: 'DELETE' }))
  expect(await screen.findByText("'Best customers' was deleted.")).toBeVisible()
}

test('deleting the applied filter removes it from the results', async () => {
  const { user, applied } = buildApplying({ ...emptyFilter, predefined: '17' })
  await screen.findByRole('combobox')
  await deleteBest(user)
  expect(applied).toEqual([emptyFilter])
  expect(screen.queryByText('Not applied')).toBeNull()
  expect(screen.getByText('All contacts.')).toBeVisible()
})

test('input on other tabs survives deleting the applied filter and can then be applied', async () => {
  const { user, applied } = buildApplying({ ...emptyFilter, predefined: '17' })
  await user.click(tab('Full Text'))
  await user.type(box('Words'), 'anna')
  await user.click(tab('Predefined'))
  await deleteBest(user)
  expect(applied).toEqual([emptyFilter])
  await user.click(button('Apply'))
  expect(applied.at(-1)).toEqual({ ...emptyFilter, fullText: 'anna' })
})

test('the applied filter stays when another one is deleted', async () => {
  const { user, applied } = buildApplying({ ...emptyFilter, predefined: '9' })
  await choose(user, 'Predefined filter', 'Best customers')
  await deleteBest(user)
  expect(applied).toEqual([])
  expect(screen.getByText('Not applied')).toBeVisible()
})

test('without the right to predefined filters the missing feature is named and nothing is requested', async () => {
  beSignedIn({ policies: ['contact-offers-list'] })
  const sent = serveApi(saved)
  const { open } = build()
  await open()
  expect(screen.getByText(/contact-rdls-list.*Contact your admin to see how you can get this feature\./)).toBeVisible()
  expect(screen.queryByRole('combobox')).toBeNull()
  expect(sent.some(({ call }) => call.includes('rdls'))).toBe(false)
})
