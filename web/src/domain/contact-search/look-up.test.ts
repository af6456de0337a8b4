import type { Field } from '@portico/contract/contacts'
import { expect, test } from 'vitest'
import { lookUpCondition } from './look-up.ts'

const fields = [{ name: 'Name', type: 'string' } as Field, { name: 'Age', type: 'number' } as Field]

test.each([
  ['purl', ' AdaKing2 ', { purl: 'adaking2' }],
  ['_id', '12', { _id: '12' }],
  ['_id', 'twelve', null],
  ['Age', '30', { Age: 30 }],
  ['Age', 'thirty', null],
  ['Name', 'a.b+c', { Name: { $regex: String.raw`^a\.b\+c$`, $options: 'i' } }],
  ['Name', ' ', null],
])('a contact is found by %s %j', (by, text, condition) => {
  expect(lookUpCondition({ by, text }, fields)).toEqual(condition)
})
