"""Gait analysis: segments, joint centres, limbs, clinical curves, reports, and their pictures.

Reports
    gait_report, GaitReport, GaitCycle, TrialAudit, AuditCheck,
    plot_gait_report, plot_gait_page
Clinical curves
    clinical_curves, ClinicalCurves
People
    Person, SegmentTable, SegmentRow
Markers and segments
    GaitTrial, lower_limbs, LowerLimbs, upper_limbs, UpperLimbs,
    MarkerSegment, MarkerSet, Frame, segment_angles, segment_lengths,
    segment_wrenches, SegmentResult
For teaching
    planar_leg, planar_body
Deprecated
    frame_of_markers, segment_poses
"""

from ..checks import lazy_namespace

__getattr__, __dir__ = lazy_namespace(__name__, __file__)
