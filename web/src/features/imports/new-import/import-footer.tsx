import { Alert, Button, Group, Text } from '@mantine/core'
import type { RefObject } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { formatDuration, formatFileSize } from '#lib/formats.ts'
import { formatByteSpeed, formatPercent } from '#domain/job-lists'
import { ProgressLine } from '#ui/feedback/progress-line.tsx'
import css from './import-footer.module.css'
import type { Submission } from './submit-import.ts'
import { uploadFigures, type UploadSample } from './upload-file.ts'

type ImportFooterProps = {
  submission: Submission
  file: File | null
  isBusy: boolean
  /** Imports directly, where submitting the form with this button reviews the import first. */
  direct: { onImport: () => void; reviewButton: RefObject<HTMLButtonElement | null> } | null
  onCancel: () => void
  onCancelUpload: () => void
}

/** The footer of the dialog: its buttons, the progress of the upload, and problems. */
export function ImportFooter({ submission, file, isBusy, direct, onCancel, onCancelUpload }: ImportFooterProps) {
  return (
    <>
      <SubmissionState submission={submission} file={file} />
      <div className={css['foot']}>
        {direct && (
          <Text size="xs" c="dimmed" className={css['hint'] ?? ''}>
            Review shows what would change before anything does. Submit imports at once.
          </Text>
        )}
        <Group justify="flex-end" gap="xs" wrap="nowrap" ml="auto">
          {isBusy ? (
            <Button variant="default" onClick={onCancelUpload} disabled={submission.step === 'saving'}>
              Cancel upload
            </Button>
          ) : (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <SubmitButton submission={submission} isBusy={isBusy} onImport={direct?.onImport ?? null} />
          {direct && <ReviewButton submission={submission} isBusy={isBusy} button={direct.reviewButton} />}
        </Group>
      </div>
    </>
  )
}

type ButtonProps = Pick<ImportFooterProps, 'submission' | 'isBusy'>

function SubmitButton({ submission, isBusy, onImport }: ButtonProps & { onImport: (() => void) | null }) {
  const isReviewing = submission.step !== 'idle' && submission.aim === 'review'
  const text = submission.step === 'failed' && !isReviewing ? 'Try again' : 'Submit'
  const look = { loading: isBusy && !isReviewing, disabled: isBusy }
  if (onImport === null) {
    return (
      <Button type="submit" {...look}>
        {text}
      </Button>
    )
  }
  return (
    <Button variant="default" onClick={onImport} {...look}>
      {text}
    </Button>
  )
}

function ReviewButton({ submission, isBusy, button }: ButtonProps & { button: RefObject<HTMLButtonElement | null> }) {
  const isReviewing = submission.step !== 'idle' && submission.aim === 'review'
  return (
    <Button type="submit" ref={button} loading={isBusy && isReviewing} disabled={isBusy}>
      {submission.step === 'failed' && isReviewing ? 'Try again' : 'Review'}
    </Button>
  )
}

/** The progress of a submission, and its problem. */
export function SubmissionState({ submission, file }: Pick<ImportFooterProps, 'submission' | 'file'>) {
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
