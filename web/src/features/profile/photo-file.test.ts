import { expect, test } from 'vitest'
import { largestSquare, photoProblem, squareOf } from './photo-file.ts'

const notImage = 'Only image files are accepted.'

test.each([
  ['photo.jpg', 'image/jpeg', null],
  ['photo.webp', 'image/webp', null],
  // Browsers do not know its type.
  ['IMG_1.HEIC', '', null],
  ['contacts.csv', 'text/csv', notImage],
  ['contacts.unknown', '', notImage],
  ['photo', 'image/png', "'photo' was ignored: its name has no extension."],
  ['photo.', 'image/png', "'photo.' was ignored: its name has no extension."],
  ['.jpg', 'image/jpeg', "'.jpg' was ignored: its name has no extension."],
])('%s of the type "%s"', (name, type, problem) => {
  expect(photoProblem({ name, type })).toBe(problem)
})

test('the initial square is the largest one in the middle', () => {
  expect(largestSquare({ width: 400, height: 200 })).toEqual({ x: 25, y: 0, width: 50, height: 100 })
  expect(largestSquare({ width: 100, height: 400 })).toEqual({ x: 0, y: 37.5, width: 100, height: 25 })
})

test('a crop has whole pixels within the image, even after rounding on the screen', () => {
  const image = { width: 401, height: 200 }
  expect(squareOf({ x: 25, y: 0, width: 49.88, height: 100 }, image)).toEqual({ x: 100, y: 0, size: 200 })
  expect(squareOf({ x: 60, y: 10, width: 50, height: 100 }, image)).toEqual({ x: 201, y: 0, size: 200 })
  expect(squareOf({ x: 0, y: 0, width: 0, height: 0 }, image).size).toBe(1)
})
