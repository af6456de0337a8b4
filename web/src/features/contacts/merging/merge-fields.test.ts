import type { Field, Offer } from '@portico/contract/contacts'
import { expect, test } from 'vitest'
import { compareContacts, mergeOf, winnerOf } from './merge-fields.ts'

const field = (name: string, type: Field['type'] = 'string') => ({ name, type }) as Field
const fields = [field('Name'), field('City'), field('Age', 'number'), field('Phone'), field('Note')]
const kept = { _id: '1', Name: 'Ada', City: 'Bern', Age: 30 } as Offer
const other = { _id: '2', Name: 'Ada', City: 'Rome', Age: 31, Phone: '555' } as Offer

test('contacts are compared by field; a value wins over none, and that of the contact that stays over another', () => {
  const { differing, equal } = compareContacts(kept, other, fields)
  expect(equal.map((each) => each.field.name)).toEqual(['Name'])
  expect(differing.map((each) => [each.field.name, winnerOf(each, { Age: 'other' })])).toEqual([
    ['City', 'kept'],
    ['Age', 'other'],
    ['Phone', 'other'],
  ])
  expect(mergeOf('2', differing, { Age: 'other' })).toEqual({
    other: '2',
    fields: {
      City: { kept: 'Bern', other: 'Rome', wins: 'kept' },
      Age: { kept: 30, other: 31, wins: 'other' },
      Phone: { kept: null, other: '555', wins: 'other' },
    },
  })
})
