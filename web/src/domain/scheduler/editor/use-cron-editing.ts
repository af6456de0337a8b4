import type { Cron } from '@portico/contract/scheduler/crons'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import { isSameName } from '@portico/domain/names'
import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import { useEditing } from '#domain/editing'
import { isApiError } from '#lib/api/api-error.ts'
import { type SubmittedForm, useSubmit } from '#lib/submit.ts'
import { focusFirstProblem } from '#ui/dialog/form-dialog.tsx'
import { createCron, failureOf, getCron, updateCron, useCrons, useSaveCron } from '../scheduler-queries.ts'
import { type CronValues, draftOf, newValues, problemsOf, valuesOf } from './cron-values.ts'

export type CronEditorProps = {
  consumerCode: ConsumerCode
  /** An existing cron, whose timing stays; null for a new one. */
  kept: Cron | null
  /** The export of a new cron, or the address of its dashboard. Null: not given. */
  instruction: Record<string, unknown> | null
  /** The initial values of a new cron. */
  initial?: Partial<CronValues>
  onSaved: (name: string) => void
  onClose: () => void
}

type Problems = ReadonlyMap<string, string>

/** Shows the server's refusals at the dialog's fields, by their paths. */
export type DialogFields = SubmittedForm<Record<string, unknown>>

/** The field of the dialog that shows problems of a field of the request. */
export const fieldInDialog = (field: string): string => (field === 'instruction.offset' ? 'offset' : field)

const noProblems: Problems = new Map()

/** Problems are shown once submitting was tried, and while typing from then on. */
export function useCronEditing(props: CronEditorProps) {
  const { consumerCode, kept, onSaved } = props
  const { first, values, setValues, editing, save } = useEditedValues(props)
  const [now] = useState(() => Date.now())
  const [isTried, setTried] = useState(false)
  const [refused, setRefused] = useState(noProblems)
  const check = useCheck(props, now)
  // Validation takes longer than a keystroke allows: it lags behind typing.
  const settled = useDeferredValue(values)
  const found = useMemo(() => (isTried ? check(settled) : noProblems), [isTried, check, settled])

  const form: DialogFields = {
    values,
    setFieldError: (field, message) => setRefused((before) => new Map([...before, [field, message]])),
  }
  const sending = useSubmit(form, useSaveCron(), {
    findField: fieldInDialog,
    done: ({ name }) => onSaved(name),
    refused: (_, error) => {
      // `SavedMeanwhile` shows a newer version.
      if (isApiError(error, 'newer_version')) return
      // Some parts of a cron have no field here.
      sending.setProblem(failureOf(error, kept ? 'update cron' : 'create cron'))
      focusFirstProblem()
    },
  })

  const submit = (): void => {
    setTried(true)
    setRefused(noProblems)
    const problems = check(values)
    if (problems.size === 0) return sending.submit(save)
    // A problem of the export itself has no field here.
    const [hidden] = [...problems].filter(([field]) => isHidden(field, consumerCode))
    sending.setProblem(hidden ? hidden[1] : null)
    focusFirstProblem()
  }
  const change = useCallback(
    (part: Partial<CronValues>): void => {
      setRefused(noProblems)
      setValues((before) => ({ ...before, ...part }))
    },
    [setValues],
  )
  return {
    values,
    settled,
    now,
    problem: sending.problem,
    problems: useSame(refused.size > 0 ? refused : found),
    submit,
    form,
    editing,
    change,
    isDirty: values !== first,
    isBusy: sending.isBusy,
  }
}

/** Returns the function that finds the problems of values. */
function useCheck(
  { consumerCode, kept, instruction }: CronEditorProps,
  now: number,
): (checked: CronValues) => Problems {
  const { data: crons } = useCrons(consumerCode, false)
  return useCallback(
    (checked: CronValues): Problems => {
      // It may keep its own name: a cron from an earlier release can share its name with another.
      const isNamed = kept !== null && isSameName(checked.name, kept.name)
      const others = isNamed ? [] : (crons ?? []).filter(({ _id }) => _id !== kept?._id)
      return problemsOf(
        { consumerCode, values: checked, instruction, kept },
        others.map(({ name }) => name),
        now,
      )
    },
    [consumerCode, crons, instruction, kept, now],
  )
}

/** The dialog's values, and the function that saves them over the version they come from. */
function useEditedValues({ consumerCode, kept, instruction, initial }: CronEditorProps) {
  const [first, setFirst] = useState(() =>
    kept ? valuesOf(kept) : { ...newValues(browserZone()), ...initial, url: urlIn(instruction) },
  )
  const [values, setValues] = useState(first)
  const rebase = (base: CronValues, next: CronValues): void => {
    setFirst(base)
    setValues(isSame(base, next) ? base : next)
  }
  const editing = useEditing({ item: kept, read: ({ _id }: Cron) => getCron(_id), valuesOf, form: { values, rebase } })
  const save = (): Promise<Cron> =>
    editing.save((over) => {
      const body = draftOf({ consumerCode, values, instruction, kept: over })
      return over ? updateCron(over._id, { ...body, version: over.version }) : createCron(body)
    })
  return { first, values, setValues, editing, save }
}

/** Returns the previous map while it has the same content. */
function useSame(problems: Problems): Problems {
  const [kept, setKept] = useState(problems)
  const isSame = kept.size === problems.size && [...problems].every(([field, text]) => kept.get(field) === text)
  if (!isSame) setKept(problems)
  return isSame ? kept : problems
}

const shownOfExports = new Set(['instruction.offset', 'instruction.dateField'])

const isHidden = (field: string, consumerCode: ConsumerCode): boolean =>
  field.startsWith('instruction') &&
  (field === 'instruction' || (consumerCode === 'EXPORT' && !shownOfExports.has(field)))

const isSame = (one: CronValues, other: CronValues): boolean => JSON.stringify(one) === JSON.stringify(other)

const urlIn = (instruction: Record<string, unknown> | null): string =>
  typeof instruction?.['url'] === 'string' ? instruction['url'] : ''

const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
