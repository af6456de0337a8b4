import type { UseFormReturnType } from '@mantine/form'

/** The parts of a form that editing needs. */
export type EditedForm<Values> = {
  values: Values
  /** Replaces the values. `base`: the values that count as unchanged from then on. */
  rebase: (base: Values, values: Values) => void
}

export const editedForm = <Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
): EditedForm<Values> => ({
  values: form.values,
  rebase: (base, values) => {
    form.setInitialValues(base)
    form.resetDirty(base)
    form.setValues(values)
  },
})
