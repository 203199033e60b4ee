(* claims: prop-2
   theorems: jump_costs_tau tail_is_log_concave price_of_the_activation

   Proposition 2: what the activation costs.  With the jump every neuron near the threshold adds
   tau to the gap; and for both activations the mean gap is at least a share of what g can do,
   because the Gaussian tail is log-concave. *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
Require Import Sums Prop1.
Open Scope R_scope.

(* [continuous] is an activation here; the property of functions is [cont]. *)
Notation cont := Continuity.continuous.

(* (a) A neuron within delta of the threshold has U_r + V_r >= tau. *)
Definition near (tau delta z : R) : R :=
  if Rlt_dec (- delta) (z - tau) then if Rle_dec (z - tau) delta then 1 else 0 else 0.

Theorem jump_costs_tau d m a tau delta (W0 : nat -> nat -> R) b0 x :
  0 <= a -> 0 <= tau -> 0 <= delta ->
  a * tau / 2 * sum m (fun r => near tau delta (z d W0 b0 x r)) <= H d m jump a tau delta W0 b0 x.
Proof.
  intros Ha Ht Hd. unfold H.
  replace (a * tau / 2 * sum m (fun r => near tau delta (z d W0 b0 x r)))
    with (a / 2 * sum m (fun r => tau * near tau delta (z d W0 b0 x r)))
    by (rewrite sum_scal; field).
  apply Rmult_le_compat_l; [lra|]. apply sum_le. intros r _.
  unfold Ur, Vr, U, V, near, pos. set (u := z d W0 b0 x r).
  destruct (Rlt_dec 0 (u - tau)), (Rlt_dec (- delta) (u - tau)), (Rle_dec (u - tau) delta);
    try lra; try (pose proof (Rmax_r (delta - u) 0); lra).
Qed.

(* A function with a derivative >= 0 does not fall. *)
Lemma increases (f df : R -> R) p q : p <= q ->
  (forall u, p <= u <= q -> is_derive f u (df u)) ->
  (forall u, p <= u <= q -> 0 <= df u) -> f p <= f q.
Proof.
  intros Hpq Hd Hp. destruct (MVT_gen f p q df) as [c [Hc E]].
  - intros u Hu. rewrite Rmin_left, Rmax_right in Hu by exact Hpq. apply Hd. lra.
  - intros u Hu. rewrite Rmin_left, Rmax_right in Hu by exact Hpq.
    apply continuity_pt_filterlim. apply (ex_derive_continuous f). exists (df u). now apply Hd.
  - rewrite Rmin_left, Rmax_right in Hc by exact Hpq. specialize (Hp c Hc).
    assert (0 <= df c * (q - p)) by (apply Rmult_le_pos; lra). lra.
Qed.

(* The bell curve, its integral from 0, the area G of its right half, and the tail.  Division by
   the whole area 2 G makes it the law N(0, 1), so nothing has to be known of the number G. *)
Definition bell (u : R) : R := exp (- u ^ 2 / 2).
Definition area (u : R) : R := RInt bell 0 u.
Definition G : R := real (Lim_seq (fun n => area (INR n))).
Definition tail (t : R) : R := G - area t.
Definition Q (t : R) : R := tail t / (2 * G).

Lemma bell_continuous u : cont bell u.
Proof. apply (ex_derive_continuous bell). unfold bell. auto_derive. exact I. Qed.

Lemma area_derive u : is_derive area u (bell u).
Proof.
  apply (is_derive_RInt bell area 0); [|apply bell_continuous]. exists (mkposreal 1 Rlt_0_1).
  intros v _. apply (RInt_correct (V := R_CompleteNormedModule)).
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros. apply bell_continuous.
Qed.

Lemma area_0 : area 0 = 0.
Proof. apply (RInt_point (V := R_CompleteNormedModule)). Qed.

Lemma bell_pos u : 0 < bell u.
Proof. apply exp_pos. Qed.

Lemma area_increases u v : u <= v -> area u <= area v.
Proof.
  intros H. apply (increases area bell); [exact H | intros; apply area_derive|].
  intros. left. apply bell_pos.
Qed.

(* bell(u) <= exp(1/2 - u), so the area is below exp(1/2): the limit G exists. *)
Lemma area_bounded u : 0 <= u -> area u <= exp (1/2).
Proof.
  intros Hu. assert (H : - area 0 - exp (1/2 - 0) <= - area u - exp (1/2 - u)).
  { apply (increases (fun v => - area v - exp (1/2 - v)) (fun v => - bell v + exp (1/2 - v)));
      [exact Hu| |].
    - intros v _. evar_last.
      + apply (is_derive_minus (V := R_NormedModule) (fun v => - area v) (fun v => exp (1/2 - v))).
        * apply (is_derive_opp (V := R_NormedModule) area), area_derive.
        * auto_derive; [exact I | reflexivity].
      + unfold Hierarchy.minus, plus, opp; simpl. unfold Rminus. ring.
    - intros v _. unfold bell. assert (exp (- v ^ 2 / 2) <= exp (1/2 - v)); [|lra].
      destruct (Req_dec (- v ^ 2 / 2) (1/2 - v)) as [->|N]; [lra|].
      left. apply exp_increasing. assert (0 <= (v - 1) ^ 2) by apply pow2_ge_0. lra. }
  rewrite area_0, Rminus_0_r in H. pose proof (exp_pos (1/2 - u)). lra.
Qed.

Lemma area_limit : is_lim_seq (fun n => area (INR n)) G.
Proof.
  apply Lim_seq_correct', (ex_finite_lim_seq_incr _ (exp (1/2))).
  - intros n. apply area_increases. rewrite S_INR. lra.
  - intros n. apply area_bounded, pos_INR.
Qed.

Lemma area_limit_shifted t : 0 <= t -> is_lim_seq (fun n => area (t + INR n)) G.
Proof.
  intros Ht. destruct (nfloor_ex t Ht) as [k Hk].
  apply (is_lim_seq_le_le (fun n => area (INR n)) _ (fun n => area (INR (n + S k)))).
  - intros n. split; apply area_increases; [lra|]. rewrite plus_INR, S_INR. lra.
  - apply area_limit.
  - apply (is_lim_seq_incr_n (fun n => area (INR n)) (S k)), area_limit.
Qed.

Lemma tail_pos t : 0 <= t -> 0 < tail t.
Proof.
  intros Ht. unfold tail. assert (A : area t < area (t + 1)).
  { destruct (MVT_gen area t (t + 1) bell) as [c [_ E]].
    - intros. apply area_derive.
    - intros. apply continuity_pt_filterlim, (ex_derive_continuous area). eexists.
      apply area_derive.
    - pose proof (bell_pos c). lra. }
  assert (B : area (t + 1) <= G).
  { apply (is_lim_seq_le (fun _ => area (t + 1)) (fun n => area (t + 1 + INR n)) (area (t + 1)) G).
    - intros n. apply area_increases. pose proof (pos_INR n). lra.
    - apply is_lim_seq_const.
    - apply area_limit_shifted. lra. }
  lra.
Qed.

Lemma G_tail : tail 0 = G.
Proof. unfold tail. rewrite area_0. ring. Qed.

(* bell(t + u)/bell(u) = exp(-t^2/2 - t u) falls in u; so of the window from t on, as a share of
   the window from 0 on, less lies beyond h than before: first for windows of finite length ... *)
Lemma windows t h w : 0 <= t -> 0 <= h <= w ->
  (area (t + w) - area (t + h)) * area w <= (area (t + w) - area t) * (area w - area h).
Proof.
  intros Ht Hw. set (f := fun u => exp (- t ^ 2 / 2 - t * u)).
  assert (Split : forall u, bell (t + u) = f u * bell u).
  { intros u. unfold bell, f. rewrite <- exp_plus. f_equal. field. }
  assert (Falls : forall u v, u <= v -> f v <= f u).
  { intros u v Huv. unfold f. destruct (Req_dec (t * u) (t * v)) as [->|N]; [lra|].
    left. apply exp_increasing. assert (t * u <= t * v) by (apply Rmult_le_compat_l; lra). lra. }
  assert (D : forall u, is_derive (fun v => area (t + v)) u (bell (t + u))).
  { intros u. evar_last.
    - apply (is_derive_comp area (fun v => t + v)); [apply area_derive|].
      auto_derive; [exact I | reflexivity].
    - unfold scal; simpl; unfold mult; simpl. ring. }
  assert (A : f h * area h <= area (t + h) - area t).
  { pose proof (increases (fun u => area (t + u) - f h * area u)
      (fun u => bell (t + u) - f h * bell u) 0 h ltac:(lra)) as M. simpl in M.
    rewrite area_0, Rplus_0_r in M. enough (area t - f h * 0 <= area (t + h) - f h * area h) by lra.
    apply M.
    - intros u _. apply (is_derive_minus (V := R_NormedModule)); [apply D|].
      apply is_derive_scal, area_derive.
    - intros u Hu. rewrite Split. pose proof (bell_pos u). pose proof (Falls u h ltac:(lra)).
      assert (0 <= (f u - f h) * bell u) by (apply Rmult_le_pos; lra). lra. }
  assert (C : area (t + w) - area (t + h) <= f h * (area w - area h)).
  { pose proof (increases (fun u => f h * area u - area (t + u))
      (fun u => f h * bell u - bell (t + u)) h w ltac:(lra)) as M. simpl in M.
    enough (f h * area h - area (t + h) <= f h * area w - area (t + w)) by lra. apply M.
    - intros u _. apply (is_derive_minus (V := R_NormedModule)); [|apply D].
      apply is_derive_scal, area_derive.
    - intros u Hu. rewrite Split. pose proof (bell_pos u). pose proof (Falls h u ltac:(lra)).
      assert (0 <= (f h - f u) * bell u) by (apply Rmult_le_pos; lra). lra. }
  assert (B0 : 0 <= area h) by (rewrite <- area_0; apply area_increases; lra).
  assert (D0 : 0 <= area w - area h) by (pose proof (area_increases h w ltac:(lra)); lra).
  set (a1 := area (t + h) - area t) in *. set (c1 := area (t + w) - area (t + h)) in *.
  set (d1 := area w - area h) in *. set (b1 := area h) in *.
  replace (area (t + w) - area t) with (a1 + c1) by (unfold a1, c1; ring).
  replace (area w) with (b1 + d1) by (unfold d1, b1; ring).
  assert (c1 * b1 <= f h * d1 * b1) by (apply Rmult_le_compat_r; lra).
  assert (f h * b1 * d1 <= a1 * d1) by (apply Rmult_le_compat_r; lra).
  lra.
Qed.

(* ... then for the whole tails. *)
Lemma tail_product t h : 0 <= t -> 0 <= h -> tail (t + h) * tail 0 <= tail t * tail h.
Proof.
  intros Ht Hh. rewrite G_tail. unfold tail.
  destruct (nfloor_ex h Hh) as [k Hk].
  apply (is_lim_seq_le_loc
    (fun n => (area (t + INR n) - area (t + h)) * area (INR n))
    (fun n => (area (t + INR n) - area t) * (area (INR n) - area h))
    ((G - area (t + h)) * G) ((G - area t) * (G - area h))).
  - exists (S k). intros n Hn. apply windows; [exact Ht|]. split; [exact Hh|].
    apply le_INR in Hn. rewrite S_INR in Hn. lra.
  - apply is_lim_seq_mult'; [|apply area_limit].
    apply is_lim_seq_minus'; [now apply area_limit_shifted | apply is_lim_seq_const].
  - apply is_lim_seq_mult'; apply is_lim_seq_minus';
      [now apply area_limit_shifted | apply is_lim_seq_const | apply area_limit
      | apply is_lim_seq_const].
Qed.

Theorem tail_is_log_concave t h : 0 <= t -> 0 <= h -> Q (t + h) / Q t <= Q h / Q 0.
Proof.
  intros Ht Hh. pose proof (tail_product t h Ht Hh) as P.
  pose proof (tail_pos t Ht) as T. pose proof (tail_pos 0 ltac:(lra)) as T0. unfold Q.
  rewrite G_tail in *. apply Rmult_le_reg_r with (tail t * G); [now apply Rmult_lt_0_compat|].
  replace (tail (t + h) / (2 * G) / (tail t / (2 * G)) * (tail t * G)) with (tail (t + h) * G)
    by (field; lra).
  replace (tail h / (2 * G) / (G / (2 * G)) * (tail t * G)) with (tail t * tail h)
    by (field; lra).
  exact P.
Qed.

(* (b) The pre-activation z of a neuron is N(0, sigma^2), sigma = sqrt(2/m).  U + V vanishes beyond
   delta of the threshold, so its mean is an integral over that window. *)
Section Means.
Variables (act : activation) (m : nat) (a sigma tau delta : R).
Hypotheses (Hm : (1 <= m)%nat) (Ha : 0 < a) (Hs : 0 < sigma) (Htau : 0 <= tau) (Hd : 0 < delta).

Definition density (z : R) : R := bell (z / sigma) / (sigma * (2 * G)).
Definition gap (z : R) : R := (U act tau delta z + V act tau delta z) * density z.
Definition mean_H : R := a / 2 * (INR m * RInt gap (tau - delta) (tau + delta)).
Definition mean_G : R := a * delta * (INR m * Q (tau / sigma)).

Lemma G_pos : 0 < G.
Proof. rewrite <- G_tail. apply tail_pos. lra. Qed.

Lemma density_pos z : 0 < density z.
Proof.
  pose proof G_pos. apply Rdiv_lt_0_compat; [apply bell_pos|].
  repeat apply Rmult_lt_0_compat; lra.
Qed.

Lemma density_continuous z : cont density z.
Proof.
  apply (ex_derive_continuous density). unfold density, bell. auto_derive. exact I.
Qed.

Lemma density_integral p q :
  is_RInt density p q ((area (q / sigma) - area (p / sigma)) / (2 * G)).
Proof.
  pose proof G_pos. evar_last.
  - apply (is_RInt_derive (V := R_CompleteNormedModule)
      (fun z => area (z / sigma) / (2 * G)) density).
    + intros z _. evar_last.
      * apply (is_derive_comp (fun u => u / (2 * G)) (fun z => area (z / sigma))).
        -- auto_derive; [exact I | reflexivity].
        -- apply (is_derive_comp area (fun z => z / sigma)); [apply area_derive|].
           auto_derive; [exact I | reflexivity].
      * unfold density, scal; simpl; unfold mult; simpl. field. lra.
    + intros z _. apply density_continuous.
  - unfold Hierarchy.minus, plus, opp; simpl. field. lra.
Qed.

(* U + V is continuous on both sides of the threshold, so the integral exists. *)
Lemma pos_abs u : pos u = (u + Rabs u) / 2.
Proof. unfold pos, Rmax. destruct (Rle_dec u 0); [rewrite Rabs_left1|rewrite Rabs_pos_eq]; lra. Qed.

Lemma pos_continuous (f : R -> R) u : cont f u -> cont (fun v => pos (f v)) u.
Proof.
  intros H. apply (continuous_ext (fun v => mult (plus (f v) (Rabs (f v))) (/ 2))).
  - intros v. now rewrite pos_abs.
  - apply (continuous_mult (K := R_AbsRing)); [|apply continuous_const].
    apply (continuous_plus (V := R_NormedModule)); [exact H|]. now apply continuous_Rabs_comp.
Qed.

Lemma affine_continuous c u : cont (fun v => v - c) u.
Proof. apply (ex_derive_continuous (fun v => v - c)). auto_derive. exact I. Qed.

Lemma gap_integrable : ex_RInt gap (tau - delta) (tau + delta).
Proof.
  set (below := fun z => match act with
    jump => z + delta | continuous => pos (delta - Rabs (z - tau)) end).
  set (beyond := fun z => match act with
    jump => pos (delta - z) + tau | continuous => pos (delta - Rabs (z - tau)) end).
  assert (Tent : forall z, cont (fun z => pos (delta - Rabs (z - tau))) z).
  { intros z. apply pos_continuous. apply (continuous_minus (V := R_NormedModule));
      [apply continuous_const|]. apply continuous_Rabs_comp, affine_continuous. }
  apply (ex_RInt_Chasles (V := R_NormedModule) gap _ tau).
  - apply (ex_RInt_ext (V := R_NormedModule) (fun z => mult (below z) (density z))).
    + intros z Hz. rewrite Rmin_left, Rmax_right in Hz by lra. unfold below, gap, U, V.
      destruct act; [|unfold mult; simpl; ring].
      destruct (Rlt_dec 0 (z - tau)); [lra|]. destruct (Rlt_dec (- delta) (z - tau)); [|lra].
      unfold mult; simpl. ring.
    + apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _.
      apply (continuous_mult (K := R_AbsRing)); [|apply density_continuous]. unfold below.
      destruct act; [|apply Tent].
      apply (continuous_plus (V := R_NormedModule)); [apply continuous_id | apply continuous_const].
  - apply (ex_RInt_ext (V := R_NormedModule) (fun z => mult (beyond z) (density z))).
    + intros z Hz. rewrite Rmin_left, Rmax_right in Hz by lra. unfold beyond, gap, U, V.
      destruct act; [|unfold mult; simpl; ring].
      destruct (Rlt_dec 0 (z - tau)); [|lra]. destruct (Rle_dec (z - tau) delta); [|lra].
      unfold mult; simpl. ring.
    + apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _.
      apply (continuous_mult (K := R_AbsRing)); [|apply density_continuous]. unfold beyond.
      destruct act; [|apply Tent].
      apply (continuous_plus (V := R_NormedModule)); [|apply continuous_const].
      apply pos_continuous. apply (continuous_minus (V := R_NormedModule));
        [apply continuous_const | apply continuous_id].
Qed.

Lemma gap_ge0 z : 0 <= gap z.
Proof.
  apply Rmult_le_pos; [|left; apply density_pos]. unfold U, V, pos.
  destruct act; repeat destruct (Rlt_dec _ _); repeat destruct (Rle_dec _ _);
    try pose proof (Rmax_r (delta - z) 0); try pose proof (Rmax_r (delta - Rabs (z - tau)) 0); lra.
Qed.

(* Half a window below the threshold U is at least delta/2. *)
Lemma gap_below z : tau - delta / 2 < z < tau -> delta / 2 * density z <= gap z.
Proof.
  intros Hz. apply Rmult_le_compat_r; [left; apply density_pos|]. unfold U, V, pos.
  destruct act.
  - destruct (Rlt_dec 0 (z - tau)); [lra|]. destruct (Rlt_dec (- delta) (z - tau)); lra.
  - rewrite Rabs_left by lra. rewrite Rmax_left; lra.
Qed.

(* The density falls on both sides of 0, and the threshold is not negative: as much lies in half a
   window below it as in half a window beyond. *)
Lemma below_beyond t h : 0 <= t -> 0 <= h -> area (t + h) - area t <= area t - area (t - h).
Proof.
  intros Ht Hh. pose proof (increases (fun u => - area (t - u) - area (t + u))
    (fun u => bell (t - u) - bell (t + u)) 0 h Hh) as M. simpl in M.
  rewrite Rminus_0_r, Rplus_0_r in M.
  enough (- area t - area t <= - area (t - h) - area (t + h)) by lra. apply M.
  - intros u _. evar_last.
    + apply (is_derive_minus (V := R_NormedModule)
        (fun u => - area (t - u)) (fun u => area (t + u))).
      * apply (is_derive_opp (V := R_NormedModule) (fun u => area (t - u))).
        apply (is_derive_comp area (fun u => t - u)); [apply area_derive|].
        auto_derive; [exact I | reflexivity].
      * apply (is_derive_comp area (fun u => t + u)); [apply area_derive|].
        auto_derive; [exact I | reflexivity].
    + unfold Hierarchy.minus, plus, opp, scal; simpl; unfold mult; simpl. ring.
  - intros u Hu. unfold bell. assert (exp (- (t + u) ^ 2 / 2) <= exp (- (t - u) ^ 2 / 2)); [|lra].
    assert (0 <= t * u) by (apply Rmult_le_pos; lra).
    destruct (Req_dec (- (t + u) ^ 2 / 2) (- (t - u) ^ 2 / 2)) as [->|N]; [lra|].
    left. apply exp_increasing. nra.
Qed.

Theorem price_of_the_activation :
  1/4 * (1 - 2 * Q (delta / sigma / 2)) <= mean_H / mean_G.
Proof.
  pose proof G_pos as HG. set (t := tau / sigma). set (h := delta / sigma / 2).
  assert (Ht : 0 <= t) by (apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]).
  assert (Hh : 0 <= h) by (apply Rmult_le_pos; [left; now apply Rdiv_lt_0_compat | lra]).
  assert (HQ : 0 < Q t) by (apply Rdiv_lt_0_compat; [now apply tail_pos | lra]).
  assert (HM : 0 < INR m) by (apply lt_0_INR; lia).
  (* E(U + V) >= delta/2 Pr[-delta/2 < z - tau < 0] *)
  assert (E1 : delta / 2 * ((area t - area (t - h)) / (2 * G))
    <= RInt gap (tau - delta) (tau + delta)).
  { pose proof gap_integrable as X.
    assert (X1 : ex_RInt gap (tau - delta) tau)
      by (apply (ex_RInt_Chasles_1 (V := R_CompleteNormedModule) gap _ tau (tau + delta));
        [lra | exact X]).
    assert (X2 : ex_RInt gap tau (tau + delta))
      by (apply (ex_RInt_Chasles_2 (V := R_CompleteNormedModule) gap (tau - delta) tau);
        [lra | exact X]).
    assert (X3 : ex_RInt gap (tau - delta) (tau - delta / 2))
      by (apply (ex_RInt_Chasles_1 (V := R_CompleteNormedModule) gap _ _ tau); [lra | exact X1]).
    assert (X4 : ex_RInt gap (tau - delta / 2) tau)
      by (apply (ex_RInt_Chasles_2 (V := R_CompleteNormedModule) gap (tau - delta));
        [lra | exact X1]).
    rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) gap _ tau) by assumption.
    rewrite <- (RInt_Chasles (V := R_CompleteNormedModule) gap _ (tau - delta / 2) tau)
      by assumption.
    assert (0 <= RInt gap (tau - delta) (tau - delta / 2))
      by (apply RInt_ge_0; [lra | exact X3 | intros; apply gap_ge0]).
    assert (0 <= RInt gap tau (tau + delta))
      by (apply RInt_ge_0; [lra | exact X2 | intros; apply gap_ge0]).
    assert (L : delta / 2 * ((area t - area (t - h)) / (2 * G)) <= RInt gap (tau - delta / 2) tau).
    { pose proof (density_integral (tau - delta / 2) tau) as D.
      replace ((tau - delta / 2) / sigma) with (t - h) in D by (unfold t, h; field; lra).
      fold t in D.
      pose proof (is_RInt_scal (V := R_NormedModule) density _ _ (delta / 2) _ D) as D2.
      replace (delta / 2 * ((area t - area (t - h)) / (2 * G)))
        with (RInt (fun z => scal (delta / 2) (density z)) (tau - delta / 2) tau)
        by exact (is_RInt_unique _ _ _ _ D2).
      apply RInt_le; [lra | eexists; exact D2 | exact X4|]. intros u Hu. now apply gap_below. }
    unfold plus; simpl. lra. }
  (* that probability is at least Q(t) - Q(t + h), and log-concavity does the rest *)
  assert (E2 : Q t * (1 - 2 * Q h) <= (area t - area (t - h)) / (2 * G)).
  { apply Rle_trans with ((area (t + h) - area t) / (2 * G)).
    - pose proof (tail_is_log_concave t h Ht Hh) as LC.
      assert (Q0 : Q 0 = 1/2) by (unfold Q; rewrite G_tail; field; lra). rewrite Q0 in LC.
      apply Rmult_le_compat_r with (r := Q t) in LC; [|lra]. unfold Rdiv at 1 in LC.
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r in LC by lra.
      replace ((area (t + h) - area t) / (2 * G)) with (Q t - Q (t + h))
        by (unfold Q, tail; field; lra). lra.
    - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | now apply below_beyond]. }
  unfold mean_H, mean_G. fold t h. set (J := RInt gap _ _) in *.
  apply Rmult_le_reg_r with (a * delta * (INR m * Q t)).
  { apply Rmult_lt_0_compat; now apply Rmult_lt_0_compat. }
  replace (a / 2 * (INR m * J) / (a * delta * (INR m * Q t)) * (a * delta * (INR m * Q t)))
    with (a * INR m / 2 * J) by (field; lra).
  assert (E3 : delta / 2 * (Q t * (1 - 2 * Q h)) <= J).
  { eapply Rle_trans; [|exact E1]. apply Rmult_le_compat_l; lra. }
  replace (1/4 * (1 - 2 * Q h) * (a * delta * (INR m * Q t)))
    with (a * INR m / 2 * (delta / 2 * (Q t * (1 - 2 * Q h)))) by field.
  apply Rmult_le_compat_l; [|exact E3].
  left. apply Rdiv_lt_0_compat; [now apply Rmult_lt_0_compat | lra].
Qed.
End Means.
