import { Alert, Button, Group, Text } from '@mantine/core'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { formatDuration, formatFileSize } from '#lib/formats.ts'
import { formatByteSpeed, formatPercent } from '#domain/job-lists'
import { ProgressLine } from '#ui/feedback/progress-line.tsx'
import css from './import-footer.module.css'
import type { FormSubmission } from './form-submission.ts'
import type { Submission } from './submit-import.ts'
import { uploadFigures, type UploadSample } from './upload-file.ts'

type ImportFooterProps = {
  sending: FormSubmission
  file: File | null
  hint?: string | null
  /** Null at the first step. */
  onBack: (() => void) | null
  /** Submitting the form opens the next step instead of importing the file. */
  hasNext: boolean
  /** Null while nothing can be imported. */
  onSubmit: (() => void) | null
  onCancel: () => void
}

/** The footer of the dialog: its buttons, the progress of the upload, and problems. */
export function ImportFooter({ sending, file, hint, onBack, hasNext, onSubmit, onCancel }: ImportFooterProps) {
  const { submission, isBusy, cancelUpload } = sending
  return (
    <>
      <SubmissionState submission={submission} file={file} />
      {hint && !isBusy && (
        <Text size="xs" c="dimmed" mb={8}>
          {hint}
        </Text>
      )}
      <Group justify="space-between" gap="xs" wrap="nowrap">
        {isBusy ? (
          <Button variant="default" onClick={cancelUpload} disabled={submission.step === 'saving'}>
            Cancel upload
          </Button>
        ) : (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Group justify="flex-end" gap="xs" wrap="nowrap">
          {onBack && (
            <Button variant="default" onClick={onBack} disabled={isBusy}>
              Back
            </Button>
          )}
          {onSubmit && <SubmitButton {...{ submission, isBusy, hasNext, onSubmit }} />}
          {hasNext && <NextButton submission={submission} isBusy={isBusy} />}
        </Group>
      </Group>
    </>
  )
}

type ButtonProps = Pick<FormSubmission, 'submission' | 'isBusy'>
type SubmitButtonProps = ButtonProps & { hasNext: boolean; onSubmit: () => void }

function SubmitButton({ submission, isBusy, hasNext, onSubmit }: SubmitButtonProps) {
  const isImport = submission.step !== 'idle' && submission.aim === 'import'
  const text = submission.step === 'failed' && isImport ? 'Try again' : 'Submit'
  const look = { loading: isBusy && isImport, disabled: isBusy }
  if (!hasNext) {
    return (
      <Button type="submit" {...look}>
        {text}
      </Button>
    )
  }
  return (
    <Button variant="default" onClick={onSubmit} {...look}>
      {text}
    </Button>
  )
}

function NextButton({ submission, isBusy }: ButtonProps) {
  const isReview = submission.step !== 'idle' && submission.aim !== 'import'
  return (
    <Button type="submit" loading={isBusy && isReview} disabled={isBusy}>
      Next
    </Button>
  )
}

/** The progress of a submission, and its problem. */
function SubmissionState({ submission, file }: { submission: Submission; file: File | null }) {
  if (submission.step === 'failed') {
    return (
      <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert" mb="sm" title="Something went wrong!">
        {submission.reason}
      </Alert>
    )
  }
  if (submission.step === 'uploading') return file && <UploadProgress file={file} samples={submission.samples} />
  if (submission.step === 'idle') return null
  const text = submission.aim === 'review' ? 'Starting the review' : 'Saving the import'
  return (
    <div className={css['progress']}>
      <ProgressLine value={null} label={text} text={text} />
    </div>
  )
}

function UploadProgress({ file, samples }: { file: File; samples: readonly UploadSample[] }) {
  const { share, bytesPerSecond, remainingMs } = uploadFigures(samples, file.size)
  const sentBytes = samples.at(-1)?.sentBytes ?? 0
  const figures = [
    formatPercent(share),
    `${formatFileSize(Math.min(sentBytes, file.size))} of ${formatFileSize(file.size)}`,
    bytesPerSecond !== null && formatByteSpeed(bytesPerSecond),
    remainingMs !== null && `${formatDuration(remainingMs)} left`,
  ]
  return (
    <div className={css['progress']}>
      <Text size="sm" fw={550} mb={5}>
        Sending {file.name}
      </Text>
      <ProgressLine value={share} label={`Upload of ${file.name}`} text={figures.filter(Boolean).join(' · ')} />
    </div>
  )
}
