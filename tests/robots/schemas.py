"""What URDF and SDF may have, as their schemas say: tag[attributes](elements), @: of that name."""

import re

#: The XML schema of URDF, xsd/urdf.xsd of github.com/ros/urdfdom (BSD), and <loop_joint> of Isaac
#: Sim (docs.isaacsim.omniverse.nvidia.com, "URDF importer"), with quat_xyzw as in URDF 1.1.
URDF = """
root = robot[name version](
  link[name type](inertial(@origin mass[value] inertia[ixx ixy ixz iyy iyz izz])
    visual[name](@origin @geometry @material)
    collision[name](@origin @geometry verbose[value]))
  joint[name type](@origin parent[link] child[link] axis[xyz]
    calibration[reference_position rising falling] dynamics[damping friction]
    limit[lower upper effort velocity]
    safety_controller[soft_lower_limit soft_upper_limit k_position k_velocity]
    mimic[joint multiplier offset])
  @material
  transmission[name type](leftActuator[name mechanicalReduction]
    rightActuator[name mechanicalReduction] flexJoint[name mechanicalReduction]
    rollJoint[name mechanicalReduction]
    gap_joint[L0 a b gear_ratio h mechanical_reduction name phi0 r screw_reduction t0 theta0]
    passive_joint[name] use_simulated_gripper_joint mechanicalReduction actuator[name] joint[name])
  gazebo
  loop_joint[name type](link1[link xyz rpy] link2[link xyz rpy] axis[xyz])
  sensor[name update_rate](@origin parent[link] camera(image[width height format hfov near far])
    ray(horizontal[samples resolution min_angle max_angle]
      vertical[samples resolution min_angle max_angle])))
origin = origin[xyz rpy quat_xyzw]
material = material[name](color[rgba] texture[filename])
geometry = geometry(box[size] cylinder[radius length] sphere[radius] mesh[filename scale])
"""

#: The specification of SDF 1.11, sdf/1.11 of github.com/gazebosim/sdformat (Apache 2.0).
SDF = """
actor = actor[name](@pose skin(filename scale) animation[name](filename scale interpolate_x)
    script(loop delay_start auto_start trajectory[id type tension](waypoint(time pose))) @link
    @joint @plugin)
air_pressure = air_pressure(reference_altitude pressure(@noise))
air_speed = air_speed(pressure(@noise))
altimeter = altimeter(vertical_position(@noise) vertical_velocity(@noise))
atmosphere = atmosphere[type](temperature pressure temperature_gradient)
audio_sink = audio_sink
audio_source = audio_source(uri pitch gain contact(collision) loop @pose)
battery = battery[name](voltage)
box_shape = box(size)
camera = camera[name](triggered camera_info_topic trigger_topic horizontal_fov image(width height
    format anti_aliasing) clip(near far) save[enabled](path) depth_camera(output clip(near far))
    segmentation_type box_type noise(type mean stddev) distortion(k1 k2 k3 p1 p2 center) lens(type
    scale_to_hfov custom_function(c1 c2 c3 f fun) cutoff_angle env_texture_size intrinsics(fx fy
    cx cy s) projection(p_fx p_fy p_cx p_cy tx ty)) visibility_mask optical_frame_id @pose)
capsule_shape = capsule(radius length)
collision = collision[name](laser_retro max_contacts density auto_inertia_params @pose @geometry
    @surface)
cone_shape = cone(radius length)
contact = contact(collision topic)
cylinder_shape = cylinder(radius length)
ellipsoid_shape = ellipsoid(radii)
forcetorque = force_torque(frame measure_direction force(x(@noise) y(@noise) z(@noise))
    torque(x(@noise) y(@noise) z(@noise)))
frame = frame[name attached_to](@pose)
geometry = geometry(empty @box_shape @capsule_shape @cone_shape @cylinder_shape @ellipsoid_shape
    @heightmap_shape @image_shape @mesh_shape @plane_shape @polyline_shape @sphere_shape)
gps = gps(position_sensing(horizontal(@noise) vertical(@noise))
    velocity_sensing(horizontal(@noise) vertical(@noise)))
gripper = gripper[name](grasp_check(detach_steps attach_steps min_contact_count) gripper_link
    palm_link)
gui = gui[fullscreen](@plugin camera[name](view_controller projection_type track_visual(name
    min_dist max_dist static use_model_frame xyz inherit_yaw) @pose))
heightmap_shape = heightmap(uri size pos texture(size diffuse normal) blend(min_height fade_dist)
    use_terrain_paging sampling)
image_shape = image(uri scale threshold height granularity)
imu = imu(orientation_reference_frame(localization custom_rpy[parent_frame]
    grav_dir_x[parent_frame]) angular_velocity(x(@noise) y(@noise) z(@noise))
    linear_acceleration(x(@noise) y(@noise) z(@noise)) enable_orientation)
inertial = inertial[auto](mass density auto_inertia_params pose[rotation_format degrees]
    inertia(ixx ixy ixz iyy iyz izz) fluid_added_mass(xx xy xz xp xq xr yy yz yp yq yr zz zp zq zr
    pp pq pr qq qr rr))
joint = joint[name type](parent child gearbox_ratio gearbox_reference_body thread_pitch
    screw_thread_pitch axis(xyz[expressed_in] dynamics(damping friction spring_reference
    spring_stiffness) limit(lower upper effort velocity stiffness dissipation) @mimic)
    axis2(xyz[expressed_in] dynamics(damping friction spring_reference spring_stiffness)
    limit(lower upper effort velocity stiffness dissipation) @mimic)
    physics(simbody(must_be_loop_joint) ode(cfm_damping implicit_spring_damper fudge_factor cfm
    erp bounce max_force velocity limit(cfm erp) suspension(cfm erp)) provide_feedback) @pose
    @sensor)
lidar = lidar(scan(horizontal(samples resolution min_angle max_angle) vertical(samples resolution
    min_angle max_angle)) range(min max resolution) noise(type mean stddev) visibility_mask)
light = light[name type](cast_shadows light_on visualize intensity @pose diffuse specular
    attenuation(range linear constant quadratic) direction spot(inner_angle outer_angle falloff))
light_state = light[name](@pose)
link = link[name](gravity enable_wind self_collide kinematic must_be_base_link
    velocity_decay(linear angular) @pose @inertial @collision @visual @sensor @projector
    @audio_sink @audio_source @battery @light @particle_emitter)
link_state = link[name](velocity acceleration wrench collision[name] @pose)
logical_camera = logical_camera(near far aspect_ratio horizontal_fov)
magnetometer = magnetometer(x(@noise) y(@noise) z(@noise))
material = material(script(uri name) shader[type](normal_map) render_order lighting ambient
    diffuse specular shininess emissive double_sided pbr(metal(albedo_map roughness_map roughness
    metalness_map metalness environment_map ambient_occlusion_map normal_map[type] emissive_map
    light_map[uv_set]) specular(albedo_map specular_map glossiness_map glossiness environment_map
    ambient_occlusion_map normal_map[type] emissive_map light_map[uv_set])))
mesh_shape = mesh[optimization](convex_decomposition(max_convex_hulls voxel_resolution) uri
    submesh(name center) scale)
mimic = mimic[joint axis](multiplier offset reference)
model = model[name namespace canonical_link placement_frame](static self_collide
    allow_auto_disable @frame @pose @link @joint @plugin @gripper include[merge](uri @pose @plugin
    name namespace static placement_frame) @model enable_wind)
model_state = model[name](joint[name](angle[axis]) @model_state @frame @pose scale @link_state)
navsat = navsat(position_sensing(horizontal(@noise) vertical(@noise))
    velocity_sensing(horizontal(@noise) vertical(@noise)))
noise = noise[type](mean stddev bias_mean bias_stddev dynamic_bias_stddev
    dynamic_bias_correlation_time precision)
particle_emitter = particle_emitter[name type](emitting duration size particle_size lifetime rate
    min_velocity max_velocity scale_rate color_start color_end color_range_image topic
    particle_scatter_ratio @pose @material)
physics = physics[name default type](max_step_size real_time_factor real_time_update_rate
    max_contacts dart(solver(solver_type) collision_detector) simbody(min_step_size accuracy
    max_transient_velocity contact(stiffness dissipation plastic_coef_restitution
    plastic_impact_velocity static_friction dynamic_friction viscous_friction
    override_impact_capture_velocity override_stiction_transition_velocity)) bullet(solver(type
    min_step_size iters sor) constraints(cfm erp contact_surface_layer split_impulse
    split_impulse_penetration_threshold)) ode(solver(type min_step_size island_threads iters
    precon_iters sor thread_position_correction use_dynamic_moi_rescaling friction_model)
    constraints(cfm erp contact_max_correcting_vel contact_surface_layer)))
plane_shape = plane(normal size)
plugin = plugin[name filename]
polyline_shape = polyline(point height)
population = population[name](@box_shape @cylinder_shape model_count distribution(type rows cols
    step) @pose @model)
pose = pose[relative_to rotation_format degrees]
projector = projector[name](texture fov near_clip far_clip visibility_flags @pose @plugin)
ray = ray(scan(horizontal(samples resolution min_angle max_angle) vertical(samples resolution
    min_angle max_angle)) range(min max resolution) noise(type mean stddev) visibility_mask)
rfid = rfidtag
rfidtag = rfid
road = road[name](width point @material)
root = sdf[version](@world @model @actor @light)
scene = scene(ambient background sky(time sunrise sunset clouds(speed direction humidity mean_size
    ambient) cubemap_uri) shadows fog(color type start end density) grid origin_visual)
sensor = sensor[name type](always_on update_rate visualize topic enable_metrics @pose @plugin
    @air_pressure @air_speed @altimeter @camera @contact @forcetorque @gps @imu @lidar
    @logical_camera @magnetometer @navsat @ray @rfid @rfidtag @sonar @transceiver)
sonar = sonar(geometry min max radius)
sphere_shape = sphere(radius)
spherical_coordinates = spherical_coordinates(surface_model world_frame_orientation latitude_deg
    longitude_deg elevation surface_axis_equatorial surface_axis_polar heading_deg)
state = state[world_name](sim_time wall_time real_time iterations insertions(@model @light)
    deletions(name) @model_state @light_state)
surface = surface(bounce(restitution_coefficient threshold) friction(torsional(coefficient
    use_patch_radius patch_radius surface_radius ode(slip)) ode(mu mu2 fdir1 slip1 slip2)
    bullet(friction friction2 fdir1 rolling_friction)) contact(collide_without_contact
    collide_without_contact_bitmask collide_bitmask category_bitmask poissons_ratio
    elastic_modulus ode(soft_cfm soft_erp kp kd max_vel min_depth) bullet(soft_cfm soft_erp kp kd
    split_impulse split_impulse_penetration_threshold)) soft_contact(dart(bone_attachment
    stiffness damping flesh_mass_fraction)))
transceiver = transceiver(essid frequency min_frequency max_frequency gain power sensitivity)
visual = visual[name](cast_shadows laser_retro transparency visibility_flags meta(layer) @pose
    @material @geometry @plugin)
world = world[name](audio(device) wind(linear_velocity) include[merge](uri name static namespace
    @pose @plugin placement_frame) gravity magnetic_field @atmosphere @gui @physics @scene @light
    @frame @joint @model @actor @plugin @road @spherical_coordinates @state @population)
"""


def entries(text):
    """Yield all paths of tags, with their attributes; no file is entered within itself."""
    files = dict(re.findall(r"^(\w+) = (.*(?:\n .*)*)", text, re.MULTILINE))
    words = {name: re.findall(r"@?[\w]+|[][()]", body) for name, body in files.items()}

    def walk(tokens, path, open_files):
        while tokens and tokens[0] not in ")]":
            tag = tokens.pop(0)
            if tag.startswith("@"):
                if tag[1:] not in open_files and tag[1:] in words:
                    yield from walk([*words[tag[1:]]], path, {*open_files, tag[1:]})
                continue
            attributes = []
            if tokens[:1] == ["["]:
                end = tokens.index("]")
                attributes, tokens[: end + 1] = tokens[1:end], []
            yield (*path, tag), attributes
            if tokens[:1] == ["("]:
                tokens.pop(0)
                yield from walk(tokens, (*path, tag), open_files)
                assert tokens.pop(0) == ")"

    yield from walk([*words["root"]], (), {"root"})
