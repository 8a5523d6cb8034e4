"""Gait analysis: segments, joint centres, limbs, clinical curves, reports, and their pictures.

Reports
    gait_report, GaitReport, GaitCycle, GaitCohort, TrialAudit, AuditCheck,
    plot_gait_report, plot_audit
Clinical curves
    clinical_curves, ClinicalCurves, plot_clinical_curves
People
    Person, SegmentTable, SegmentRow, planar_leg, planar_body
Markers and segments
    GaitTrial, lower_limbs, LowerLimbs, upper_limbs, UpperLimbs,
    MarkerSegment, MarkerSet, Frame, frame_of_markers, segment_poses,
    segment_angles, segment_lengths, relative_motion, segment_wrenches,
    SegmentResult
Joint centres
    hip_centers, pelvis_frame, functional_center, chord_center, carried_points
"""

from ..checks import opened

__getattr__, __dir__ = opened(__name__, __file__)
